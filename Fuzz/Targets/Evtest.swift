@testable import PressureRecordings

private let file = MemoryFile()

func fuzzEvtest(_ bytes: UnsafeBufferPointer<UInt8>) {
  Reading.hold(
    { bytes throws(RecordingError) in try EvtestFile(bytes) },
    bytes, on: file)
}
