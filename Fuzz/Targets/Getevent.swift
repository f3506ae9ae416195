@testable import PressureRecordings

private let file = MemoryFile()

func fuzzGetevent(_ bytes: UnsafeBufferPointer<UInt8>) {
  Reading.hold(
    { bytes, remarks throws(RecordingError) in
      var dialect = GeteventDialect()
      dialect.isDecimal = try GeteventDialect.isDecimal(bytes)
      _ = bytes.rewind()
      return try TextFile(bytes, remarks, dialect)
    },
    bytes, on: file)
}
