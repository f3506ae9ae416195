@testable import PressureRecordings

private let file = MemoryFile()

func fuzzLibinput(_ bytes: UnsafeBufferPointer<UInt8>) {
  Reading.hold(
    { bytes, remarks throws(RecordingError) in
      try TextFile<LibinputDialect>(bytes, remarks)
    },
    bytes, on: file)
}
