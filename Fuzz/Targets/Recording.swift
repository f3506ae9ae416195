@testable import PressureKit
@testable import pressured

private let paper = Paper()
private let work = Work(perByte: 500)

/// A file of any format, or of none, as `pressured replay` reads it.
@_cdecl("LLVMFuzzerTestOneInput")
public func tryRecording(_ start: UnsafePointer<UInt8>?, _ count: Int) -> Int32 {
  paper.write(UnsafeBufferPointer(start: start, count: count))
  work.hold(count, "recording") { read() }
  return 0
}

private func read() {
  do throws(RecordingError) {
    let recording = try Recording(path: paper.path)
    var last = Timestamp(microseconds: .min)
    while let event = try recording.next() {
      require(event.time >= last, "times never decrease")
      last = event.time
    }
    require(try recording.next() == nil, "what is over stays over")
  } catch {
    Reading.hold(error)
  }
}
