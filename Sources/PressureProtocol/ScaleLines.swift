package import PressureKit

/// The readings of the scale, in events and in replies.
extension JSONLinesWriter {
  /// Appends a reading, as in the reply to `state`.
  package mutating func append(_ reading: ScaleReading) {
    append("{")
    appendFields(of: reading)
    append("}")
  }

  /// Appends a reading with its time and device, as in the replies to `weigh` and `history`.
  package mutating func append(_ reading: ScaleReading, of device: DeviceID) {
    append("{\"time\":")
    append(reading.time.microseconds)
    append(",\"device\":")
    append(quoted: device.text)
    append(",")
    appendFields(of: reading)
    append("}")
  }

  package mutating func appendFields(of reading: ScaleReading) {
    append("\"status\":\"")
    append(plain: reading.status.rawValue)
    append("\",\"grams\":")
    append(reading.netGrams, decimals: 1)
    append(",\"gross_grams\":")
    append(reading.grossGrams, decimals: 1)
    append(",\"tare_grams\":")
    append(reading.tareGrams, decimals: 1)
    append(",\"error_grams\":")
    append(reading.errorGrams.map(ScaleReading.tenthsAbove), decimals: 1)
    append(",\"rate\":")
    append(reading.rate, decimals: 1)
    append(",\"held\":")
    append(reading.isHeld)
    append(",\"decaying\":")
    append(reading.isDecaying)
    append(",\"target\":")
    appendTarget(of: reading)
  }

  /// Appends the target weight and whether it is reached, or `null` if no target is set.
  package mutating func appendTarget(of reading: ScaleReading) {
    guard let target = reading.target, let isWithin = reading.isWithinTarget else {
      return append("null")
    }
    append("{\"grams\":")
    append(target.grams, decimals: 1)
    append(",\"tolerance\":")
    append(target.tolerance, decimals: 1)
    append(",\"within\":")
    append(isWithin)
    append("}")
  }

  /// Appends the number of pieces on the scale, as in the reply to `count`.
  package mutating func append(pieces: Int, of engine: borrowing Engine) {
    append("{\"pieces\":")
    append(Int64(pieces))
    append(",\"piece_grams\":")
    append(engine.scaleMemory.pieceGrams, decimals: 3)
    append(",\"grams\":")
    append(engine.scale.netGrams, decimals: 1)
    let error = engine.piecesError.map(ScaleReading.tenthsAbove)
    append(",\"error_pieces\":")
    append(error, decimals: 1)
    append(",\"certain\":")
    // Half a piece more or less would be another number.
    if let error { append(error <= 0.5) } else { append("null") }
    append(",\"status\":\"")
    append(plain: engine.scale.status.rawValue)
    append("\"}")
  }
}
