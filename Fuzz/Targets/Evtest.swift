@testable import pressured

private let paper = Paper()

@_cdecl("LLVMFuzzerTestOneInput")
public func tryEvtest(_ start: UnsafePointer<UInt8>?, _ count: Int) -> Int32 {
  Reading.hold(
    { bytes throws(RecordingError) in try EvtestFile(bytes) },
    UnsafeBufferPointer(start: start, count: count), on: paper)
  return 0
}
