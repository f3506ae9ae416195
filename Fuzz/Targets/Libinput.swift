@testable import pressured

private let paper = Paper()

@_cdecl("LLVMFuzzerTestOneInput")
public func tryLibinput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> Int32 {
  Reading.hold(
    { bytes throws(RecordingError) in try LibinputFile(bytes, isDescribed: false) },
    UnsafeBufferPointer(start: start, count: count), on: paper)
  return 0
}
