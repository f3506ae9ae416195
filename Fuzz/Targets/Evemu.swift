@testable import PressureRecordings

private let file = MemoryFile()

func fuzzEvemu(_ bytes: UnsafeBufferPointer<UInt8>) {
  Reading.hold(
    { bytes, remarks throws(RecordingError) in
      try TextFile<EvemuDialect>(bytes, remarks)
    },
    bytes, on: file)
}
