internal import PressureKit

extension String {
  /// A weight as text, with the sign of an estimate where nobody has compared it with a known weight.
  ///
  /// The one rule for every place that shows grams: `≈ 62 g` wherever `weight_source` is nominal.
  package func estimated(_ isEstimate: Bool) -> String { isEstimate ? "≈ \(self)" : self }
}

extension ReceivedDevice {
  /// Whether its grams are an estimate, which nobody has compared with a weight.
  package var isEstimate: Bool { weightSource == .nominal }
}

extension Surface {
  /// The same of a device that is read by this program itself.
  package var isEstimate: Bool { weightSource == .nominal }
}
