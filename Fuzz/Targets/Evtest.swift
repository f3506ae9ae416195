@testable import PressureRecordings

private let file = MemoryFile()

func fuzzEvtest(_ bytes: UnsafeBufferPointer<UInt8>) {
  Reading.hold(
    { bytes, remarks throws(RecordingError) in
      try TextFile<EvtestDialect>(bytes, remarks)
    },
    bytes, on: file)
}
