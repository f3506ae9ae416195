@testable import PressureRecordings

private let file = MemoryFile()

func fuzzGetevent(_ bytes: UnsafeBufferPointer<UInt8>) {
  Reading.hold(
    { bytes, remarks throws(RecordingError) in
      try TextFile<GeteventDialect>(bytes, remarks)
    },
    bytes, on: file)
}
