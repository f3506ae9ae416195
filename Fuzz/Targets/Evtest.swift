@testable import PressureRecordings
import PressureSystem

private let file = MemoryFile()

func fuzzEvtest(_ bytes: UnsafeBufferPointer<UInt8>) {
  Reading.hold(
    { bytes, remarks throws(ExitError) in
      try TextFile<EvtestFormat>(bytes, remarks)
    },
    bytes, on: file)
}
