@testable import PressureRecordings
import PressureSystem

private let file = MemoryFile()

func fuzzEvemu(_ bytes: UnsafeBufferPointer<UInt8>) {
  Reading.hold(
    { bytes, remarks throws(ExitError) in
      try TextFile<EvemuFormat>(bytes, remarks)
    },
    bytes, on: file)
}
