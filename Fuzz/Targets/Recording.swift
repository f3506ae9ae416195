@testable import PressureKit
@testable import PressureRecordings
import PressureSystem

private let file = MemoryFile()
private let work = Work(perByte: 500)

/// A file in any format, or in none, as `pressured replay` reads it.
func fuzzRecording(_ bytes: UnsafeBufferPointer<UInt8>) {
  file.write(bytes)
  work.hold(bytes.count, "recording") { read() }
}

private func read() {
  do throws(ExitError) {
    let recording = try Recording(path: file.path)
    var last = Timestamp(microseconds: .min)
    while let event = try recording.next() {
      require(event.time >= last, "times never decrease")
      last = event.time
    }
    require(try recording.next() == nil, "the end stays the end")
  } catch {
    Reading.hold(error)
  }
}

// A file in one format of text.

func fuzzEvemu(_ bytes: UnsafeBufferPointer<UInt8>) {
  Reading.hold(EvemuFormat.self, bytes, on: file)
}

func fuzzEvtest(_ bytes: UnsafeBufferPointer<UInt8>) {
  Reading.hold(EvtestFormat.self, bytes, on: file)
}

func fuzzGetevent(_ bytes: UnsafeBufferPointer<UInt8>) {
  Reading.hold(GeteventFormat.self, bytes, on: file)
}

func fuzzLibinput(_ bytes: UnsafeBufferPointer<UInt8>) {
  Reading.hold(LibinputFormat.self, bytes, on: file)
}
