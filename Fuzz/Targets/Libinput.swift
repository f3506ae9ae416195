@testable import PressureRecordings
import PressureSystem

private let file = MemoryFile()

func fuzzLibinput(_ bytes: UnsafeBufferPointer<UInt8>) {
  Reading.hold(
    { bytes, warnings throws(ExitError) in
      try TextFile<LibinputFormat>(bytes, warnings)
    },
    bytes, on: file)
}
