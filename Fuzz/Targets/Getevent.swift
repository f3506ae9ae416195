@testable import PressureRecordings
import PressureSystem

private let file = MemoryFile()

func fuzzGetevent(_ bytes: UnsafeBufferPointer<UInt8>) {
  Reading.hold(
    { bytes, warnings throws(ExitError) in
      try TextFile<GeteventFormat>(bytes, warnings)
    },
    bytes, on: file)
}
