@testable import PressureRecordings

private let file = MemoryFile()

func fuzzLibinput(_ bytes: UnsafeBufferPointer<UInt8>) {
  Reading.hold(
    { bytes throws(RecordingError) in try LibinputFile(bytes, isDescribed: false) },
    bytes, on: file)
}
