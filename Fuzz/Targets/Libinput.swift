@testable import PressureRecordings
import PressureSystem

private let file = MemoryFile()

func fuzzLibinput(_ bytes: UnsafeBufferPointer<UInt8>) {
  Reading.hold(
    { bytes, remarks throws(ExitError) in
      try TextFile<LibinputFormat>(bytes, remarks)
    },
    bytes, on: file)
}
