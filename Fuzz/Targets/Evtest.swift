@testable import PressureRecordings
import PressureSystem

private let file = MemoryFile()

func fuzzEvtest(_ bytes: UnsafeBufferPointer<UInt8>) {
  Reading.hold(
    { bytes, warnings throws(ExitError) in
      try TextFile<EvtestFormat>(bytes, warnings)
    },
    bytes, on: file)
}
