@testable import PressureRecordings
import PressureSystem

private let file = MemoryFile()

func fuzzEvtest(_ bytes: UnsafeBufferPointer<UInt8>) {
  Reading.hold(
    { bytes, remarks throws(ExitError) in
      try TextFile<EvtestDialect>(bytes, remarks)
    },
    bytes, on: file)
}
