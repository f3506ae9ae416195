@testable import PressureRecordings

private let file = MemoryFile()

func fuzzEvemu(_ bytes: UnsafeBufferPointer<UInt8>) {
  Reading.hold(
    { bytes throws(RecordingError) in try EvemuFile(bytes) },
    bytes, on: file)
}
