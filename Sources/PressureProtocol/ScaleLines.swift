public import PressureKit

/// A reading of the scale, in the event and in answers alike.
extension JSONLinesWriter {
  /// Adds a reading as `state` has it.
  public mutating func append(_ reading: ScaleReading) {
    append("{")
    fields(of: reading)
    append("}")
  }

  /// Adds a reading as `weigh` and `history` have it, with where and when it was.
  public mutating func append(_ reading: ScaleReading, of device: DeviceID) {
    append("{\"time\":")
    append(reading.time.microseconds)
    append(",\"device\":")
    append(quoted: device.text)
    append(",")
    fields(of: reading)
    append("}")
  }

  package mutating func fields(of reading: ScaleReading) {
    append("\"status\":\"")
    append(status: reading.status)
    append("\",\"grams\":")
    append(reading.netGrams, decimals: 1)
    append(",\"gross_grams\":")
    append(reading.grossGrams, decimals: 1)
    append(",\"tare_grams\":")
    append(reading.tareGrams, decimals: 1)
    append(",\"error_grams\":")
    append(reading.errorGrams, decimals: 1)
    append(",\"rate\":")
    append(reading.rate, decimals: 1)
    append(",\"held\":")
    append(reading.isHeld)
    append(",\"decaying\":")
    append(reading.isDecaying)
    append(",\"target\":")
    appendTarget(of: reading)
  }

  /// Adds the target with whether it is reached, or null.
  public mutating func appendTarget(of reading: ScaleReading) {
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

  private mutating func append(status: WeighingStatus) {
    switch status {
    case .fault: append("fault")
    case .stableZero: append("stable_zero")
    case .inMotion: append("in_motion")
    case .stable: append("stable")
    case .underZero: append("under_zero")
    case .overWeight: append("over_weight")
    case .calibrationNeeded: append("calibration_needed")
    case .rezeroNeeded: append("rezero_needed")
    }
  }
}

extension JSONLinesWriter {
  /// Adds how many pieces lie on a scale, as the answer to `count` has it.
  public mutating func append(pieces: Int, of engine: borrowing Engine) {
    append("{\"pieces\":")
    append(Int64(pieces))
    append(",\"piece_grams\":")
    append(engine.scaleMemory.pieceGrams, decimals: 3)
    append(",\"grams\":")
    append(engine.scale.netGrams, decimals: 1)
    append("}")
  }
}
