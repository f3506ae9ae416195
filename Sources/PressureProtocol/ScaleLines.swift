package import PressureKit

extension JSONLinesWriter {
  /// Appends a reading, as in the reply to `state`.
  package mutating func append(_ reading: ScaleReading) {
    append("{")
    appendFields(of: reading)
    append("}")
  }

  /// Appends a reading with its time and device, as in the replies to `weigh` and `history`.
  package mutating func append(_ reading: ScaleReading, of device: DeviceID) {
    append("{\"time\":", reading.time.microseconds)
    append(",\"device\":", quoted: device.text)
    append(",")
    appendFields(of: reading)
    append("}")
  }

  package mutating func appendFields(of reading: ScaleReading) {
    append("\"status\":\"")
    append(plain: reading.status.rawValue)
    append("\",\"grams\":", reading.netGrams, decimals: 1)
    append(",\"gross_grams\":", reading.grossGrams, decimals: 1)
    append(",\"tare_grams\":", reading.tareGrams, decimals: 1)
    append(",\"error_grams\":", reading.errorGrams.map(ScaleReading.tenthsAbove), decimals: 1)
    append(",\"rate\":", reading.rate, decimals: 1)
    append(",\"held\":", reading.isHeld)
    append(",\"decaying\":", reading.isDecaying)
    append(",\"target\":")
    appendTarget(of: reading)
  }

  /// Appends the target weight and whether it is reached, or `null` if no target is set.
  package mutating func appendTarget(of reading: ScaleReading) {
    guard let target = reading.target, let isWithin = reading.isWithinTarget else {
      return append("null")
    }
    append("{\"grams\":", target.grams, decimals: 1)
    append(",\"tolerance\":", target.tolerance, decimals: 1)
    append(",\"within\":", isWithin)
    append("}")
  }

  /// Appends the number of pieces on the scale, as in the reply to `count`.
  package mutating func append(pieces: Int, of engine: borrowing Engine) {
    append("{\"pieces\":", Int64(pieces))
    append(",\"piece_grams\":", engine.scaleMemory.pieceGrams, decimals: 3)
    append(",\"grams\":", engine.scale.netGrams, decimals: 1)
    let error = engine.piecesError.map(ScaleReading.tenthsAbove)
    append(",\"error_pieces\":", error, decimals: 1)
    append(",\"certain\":")
    // Half a piece more or less would be another number.
    if let error { append(error <= 0.5) } else { append("null") }
    append(",\"status\":", quoted: engine.scale.status.rawValue)
    append("}")
  }
}
