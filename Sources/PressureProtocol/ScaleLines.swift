public import PressureKit

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
    append(
      ",\"repeat_grams\":", reading.repeatGrams.map(ScaleReading.tenthsAbove), decimals: 1)
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

/// A reading of the scale, in a `scale` line and in replies.
public struct ReceivedScale: Hashable, Sendable, Decodable {
  /// A target net weight.
  public struct Target: Hashable, Sendable, Decodable {
    /// The target net weight in grams.
    public var grams: Double

    /// The tolerance in grams, plus or minus.
    public var tolerance: Double

    /// Whether the net weight is within the tolerance.
    public var within: Bool

    package init(grams: Double, tolerance: Double, within: Bool) {
      (self.grams, self.tolerance, self.within) = (grams, tolerance, within)
    }
  }

  private enum CodingKeys: String, CodingKey {
    case time, device, status, grams, rate, target, user, request
    case grossGrams = "gross_grams"
    case tareGrams = "tare_grams"
    case errorGrams = "error_grams"
    case repeatGrams = "repeat_grams"
    case isHeld = "held"
    case isDecaying = "decaying"
  }

  /// The time in microseconds on the clock that `hello` names; nil in the reply to `state`.
  public var time: Int64?

  /// The device; nil in the reply to `state`.
  public var device: String?

  /// The status of the scale.
  public var status: ProtocolValue<WeighingStatus>

  /// The net weight in grams; nil if the device has no weight source.
  public var grams: Double?

  /// The gross weight in grams.
  public var grossGrams: Double?

  /// The tare in grams.
  public var tareGrams: Double

  /// The uncertainty in grams, plus or minus; nil if unknown.
  public var errorGrams: Double?

  /// How much it may differ if the same is put there again now, in grams; nil if unknown, and from older daemons.
  public var repeatGrams: Double?

  /// The rate of change in grams per second.
  public var rate: Double?

  /// Whether the reading is held.
  public var isHeld: Bool

  /// Whether the reading decays to zero although the contact stays.
  public var isDecaying: Bool

  /// The target; nil if none is set.
  public var target: Target?

  /// The user ID of the client whose request changed the reading.
  public var user: Int64?

  /// The verb of that request; nil if no request changed the reading.
  public var request: String?
}
