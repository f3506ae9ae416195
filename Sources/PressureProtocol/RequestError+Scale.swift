public import PressureKit

extension RequestError {
  /// Why a scale does not do what it is asked for.
  public init(_ refusal: ScaleError) {
    self.init(.failed, RequestError.sentence(refusal))
  }

  private static func sentence(_ refusal: ScaleError) -> String {
    switch refusal {
    case .cannotWeigh: "the device gives nothing to weigh by"
    case .overWeight: "more lies there than the device can weigh"
    case .farFromZero(let grams, let limit):
      "the scale reads \(tenths(grams)) g, and zero may be off by \(tenths(limit)) g; try tare"
    case .inMotion: "the scale is in motion; ask again once it is stable"
    case .nothingToCount: "there is nothing on the scale to count"
    }
  }

  private static func tenths(_ grams: Double) -> String {
    var text = JSONLinesWriter(capacity: 64)
    text.append(grams, decimals: 1)
    return text.text
  }
}
