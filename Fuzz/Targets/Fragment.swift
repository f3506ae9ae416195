@testable import PressureRecordings

private let file = MemoryFile()

func fuzzFragment(_ bytes: UnsafeBufferPointer<UInt8>) {
  Reading.hold(
    { bytes, remarks throws(RecordingError) in
      try TextFile<LibinputFragment>(bytes, remarks, device: nil)
    },
    bytes, on: file)
}
