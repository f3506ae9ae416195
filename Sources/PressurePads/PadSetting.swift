package import PressureDevices
internal import PressureKit
internal import PressureSettings

package enum PadSetting: String, Hashable, CaseIterable, Sendable {
  case clickForce = "click-force"
  /// The strength of the feedback that the pad plays.
  case haptics

  /// The usage that declares it, as a feature of a touch device.
  var usage: Usage {
    switch self {
    case .clickForce: .buttonPressThreshold
    case .haptics: .intensity
    }
  }

  package var name: String {
    switch self {
    case .clickForce: "click force"
    case .haptics: "haptic strength"
    }
  }

  /// Throws why it cannot be set, unless a condition holds.
  func require(_ isMet: Bool, _ reason: @autoclosure () -> String) throws(PadError) {
    guard isMet else { throw PadError(.notDeclared, "the \(name) cannot be set: \(reason())") }
  }
}

/// The value that a person wants for a setting.
package enum PadTarget: Hashable, Sendable {
  /// The least force, the middle one, or the greatest.
  case level(Level)
  case number(Double)

  package enum Level: String, Hashable, CaseIterable, Sendable {
    case light, medium, firm
  }

  static let forms = "click-force=light, medium, firm or grams, or haptics=0 to 100"

  /// Parses a word such as `click-force=medium` or `haptics=40`.
  package static func parse(_ word: String) throws(PadError) -> (PadSetting, PadTarget) {
    let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    guard parts.count == 2, let setting = PadSetting(rawValue: String(parts[0])) else {
      throw PadError(.badRequest, "\(word.quoted) is not a setting: write \(forms)")
    }
    var text = String(parts[1])
    if setting == .haptics, text.count > 1, text.hasSuffix("%") { text.removeLast() }
    if setting == .clickForce, let level = Level(rawValue: text) { return (setting, .level(level)) }
    // Digits and one decimal point only: no signs, exponents or names of numbers.
    let isPlain = text.utf8.allSatisfy { (0x30...0x39).contains($0) || $0 == UInt8(ascii: ".") }
    guard isPlain, text.utf8.count <= 9, let number = Double(text) else {
      let accepted =
        setting == .clickForce
        ? "light, medium, firm or a number of grams" : "a number from 0 to 100"
      throw PadError(.badRequest, "\(setting.rawValue) is \(accepted), not \(text.quoted)")
    }
    return (setting, .number(number))
  }
}

package struct PadError: Error, Hashable, Codable {
  /// The kinds of errors, as on the socket.
  package enum Code: String, Hashable, CaseIterable, Sendable, Codable {
    case badRequest = "bad_request"
    case notPermitted = "not_permitted"
    case busy
    case noPad = "no_pad"
    /// The pad does not declare the setting in a way that can be written.
    case notDeclared = "not_declared"
    case outOfRange = "out_of_range"
    case unknownValue = "unknown_value"
    case padError = "pad_error"
    case noAnswer = "no_answer"
    case gone
    case notSaved = "not_saved"
    case failed

    /// Decodes a code; one of another version is `failed`.
    package init(from decoder: any Decoder) throws {
      let code = try decoder.singleValueContainer().decode(String.self)
      self = Code(rawValue: code) ?? .failed
    }
  }

  package var code: Code
  package var message: String

  package init(_ code: Code, _ message: String) {
    (self.code, self.message) = (code, message)
  }
}

/// A setting as a pad's report descriptor declares it, between people's units and the values of its field.
package struct PadControl: Hashable, Sendable {
  package let setting: PadSetting

  package let field: ReportField

  /// Reads what is declared, at least one field, or throws why it cannot be set, to follow "the click force cannot be set: ".
  init(
    _ setting: PadSetting, _ fields: [ReportField], of descriptor: ReportDescriptor
  ) throws(PadError) {
    let field = fields[0]
    try setting.require(
      fields.count == 1,
      "the pad declares it \(fields.count) times, and it is not known which one applies")
    let report = FeatureReport(id: field.reportID, of: descriptor)
    try setting.require(
      report.byteCount < FeatureReport.maximumLength,
      "its report has \(report.byteCount) bytes, more than the kernel can send")
    try setting.require(
      !report.carried.contains(where: descriptor.isOfVendor),
      "its report contains a vendor-defined field as well, so it is never written")
    // Its first usage does not state what else may be in it.
    try setting.require(
      !report.carried.contains { $0.isArray && $0.usage != setting.usage },
      "its report also contains a list of usages, and it is not known what they do")
    if let origin = field.inherited.logicalMaximum {
      try setting.require(
        origin == .buttonPressThreshold || origin.page == Usage.intensity.page,
        "the pad declares no range for it, and the one before is that of \(origin.name)")
    }
    try setting.require(
      !field.isArray && field.count == 1, "the pad declares several values for it")
    try setting.require(
      (1...32).contains(field.bitSize), "the pad declares a value of \(field.bitSize) bits")
    let (least, greatest) = (field.values.lowerBound, field.values.upperBound)
    try setting.require(least != greatest, "the pad declares only one value for it")
    let most = Int64(1) << Int64(field.bitSize - (least < 0 ? 1 : 0))
    try setting.require(
      greatest < most && least >= -most,
      "the range \(field.logicalMinimum) to \(field.logicalMaximum) that the pad declares does not fit in its \(field.bitSize) bits"
    )
    (self.setting, self.field) = (setting, field)
  }

  /// The grams or percent at the logical minimum and maximum; nil for a force that the pad declares in steps without grams.
  private var scale: (atMinimum: Double, atMaximum: Double)? {
    switch setting {
    case .clickForce: return field.clickGrams
    case .haptics:
      // Where the physical range is the other way round, the least value is the strongest.
      let isOwn = field.inherited.physicalMaximum == nil
      if isOwn, field.physicalMinimum > field.physicalMaximum { return (100, 0) }
      return (0, 100)
    }
  }

  package var values: ClosedRange<Int64> { field.values }

  private var span: Double { Double(field.logicalMaximum) - Double(field.logicalMinimum) }

  /// Grams or percent for a value; nil if the pad does not declare grams.
  package func amount(of value: Int64) -> Double? {
    guard let scale else { return nil }
    let part = (Double(value) - Double(field.logicalMinimum)) / span
    return scale.atMinimum + part * (scale.atMaximum - scale.atMinimum)
  }

  /// The range in grams or percent; nil if the pad does not declare grams.
  package var amounts: ClosedRange<Double>? {
    scale.map { min($0.atMinimum, $0.atMaximum)...max($0.atMinimum, $0.atMaximum) }
  }

  /// All amounts in order, if there are few.
  package var steps: [Double]? {
    guard values.count <= PadControl.mostListedSteps, scale != nil else { return nil }
    return values.compactMap { amount(of: $0) }.sorted()
  }

  private static let mostListedSteps = 16

  /// The value for the least force, the middle one or the greatest.
  func value(of level: PadTarget.Level) -> Int64 {
    // Without grams the greatest value is the greatest force, as the usage is a threshold.
    let isReversed = scale.map { $0.atMinimum > $0.atMaximum } ?? false
    return switch level {
    case .light: isReversed ? field.logicalMaximum : field.logicalMinimum
    case .medium: field.logicalMinimum + (field.logicalMaximum - field.logicalMinimum) / 2
    case .firm: isReversed ? field.logicalMinimum : field.logicalMaximum
    }
  }

  package func level(of value: Int64) -> PadTarget.Level? {
    guard setting == .clickForce else { return nil }
    return PadTarget.Level.allCases.first { self.value(of: $0) == value }
  }

  /// The value that is nearest to what a person wants; throws `out_of_range` with the range.
  package func value(for target: PadTarget) throws(PadError) -> Int64 {
    switch target {
    case .level(let level): return value(of: level)
    case .number(let number):
      guard let amounts else {
        throw PadError(
          .outOfRange,
          "this pad declares \(values.count) steps of force without grams: use light, medium or firm"
        )
      }
      guard amounts.contains(number), let scale else {
        throw PadError(
          .outOfRange, "\(setting.rawValue)=\(text(number)) is out of range: \(rangeSentence)")
      }
      let part = (number - scale.atMinimum) / (scale.atMaximum - scale.atMinimum)
      return field.logicalMinimum + Int64((part * span).rounded())
    }
  }

  /// What can be set, such as "110, 150 or 190 g".
  package var rangeSentence: String {
    let unit = setting == .clickForce ? "g" : "%"
    guard let amounts else { return "light, medium or firm, without grams" }
    if setting == .clickForce, let steps {
      let texts = steps.map(text)
      return "\(texts.dropLast().joined(separator: ", ")) or \(texts.last ?? "") g"
    }
    return "\(text(amounts.lowerBound)) to \(text(amounts.upperBound)) \(unit)"
  }

  /// A value in words, such as "150 g (medium)".
  package func sentence(of value: Int64) -> String {
    let level = level(of: value)?.rawValue
    guard let amount = amount(of: value) else {
      let step = "step \(value - values.lowerBound + 1) of \(values.count)"
      return level.map { "\($0) (\(step))" } ?? step
    }
    guard setting == .clickForce else { return "\(text(amount)) %" }
    return "\(text(amount)) g" + (level.map { " (\($0))" } ?? "")
  }

  private func text(_ amount: Double) -> String { amount.shortDescription(decimals: 1) }
}
