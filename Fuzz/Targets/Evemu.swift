@testable import PressureRecordings
import PressureSystem

private let file = MemoryFile()

func fuzzEvemu(_ bytes: UnsafeBufferPointer<UInt8>) {
  Reading.hold(
    { bytes, warnings throws(ExitError) in
      try TextFile<EvemuFormat>(bytes, warnings)
    },
    bytes, on: file)
}
