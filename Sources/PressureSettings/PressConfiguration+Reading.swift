internal import PressureKit
internal import PressureProtocol

extension PressConfiguration {
  package mutating func read(_ reader: inout MappingDecoder) {
    stages.read("stages", in: PressStage.Unit.allCases, &reader)
    gramStages.read("gram_stages", in: [.grams], &reader)
    curve.read("curve", &reader)
    reader.value("fingers", .fingers, into: &fingers)
    reader.value("simulated", .word, into: &simulation)
    reader.value(
      "hold_ms", .whole(ConfigurationLimits.holdMilliseconds), into: &holdMilliseconds)
    reader.value(
      "move_tolerance_mm", .number(ConfigurationLimits.moveToleranceMillimeters),
      into: &moveToleranceMillimeters)
  }
}

extension StageLadder {
  /// Reads stages in place of the standard ones.
  ///
  /// The units are those that thresholds may be measured in, the first where nothing is said.
  fileprivate mutating func read(
    _ key: String, in units: [PressStage.Unit], _ reader: inout MappingDecoder
  ) {
    var ladder = StageLadder()
    let stages = reader.entries(key) { reader in
      guard let stage = PressStage.read(in: units, &reader) else { return nil as PressStage? }
      return reader.pair { () throws(InconsistentValuesError) in
        try ladder.append(stage)
        return stage
      }
    }
    if stages != nil { self = ladder }
  }
}

extension ResponseCurve {
  /// Reads points in place of the standard ones.
  fileprivate mutating func read(_ key: String, _ reader: inout MappingDecoder) {
    let kind = ValueDecoder<Double>.number(ConfigurationLimits.ratio)
    var curve = ResponseCurve()
    let points = reader.entries(key) { reader in
      let (ratio, output) = (reader.required("ratio", kind), reader.required("output", kind))
      guard let ratio, let output else { return nil as ResponseCurve.Point? }
      return reader.pair { () throws(InconsistentValuesError) in
        let point = ResponseCurve.Point(ratio: ratio, output: output)
        try curve.append(point)
        return point
      }
    }
    if points != nil { self = curve }
  }
}

extension PressStage {
  fileprivate static func read(
    in units: [Unit], _ reader: inout MappingDecoder
  ) -> PressStage? {
    let unit = reader.value("unit", .word(among: units), or: units.first ?? .ratio)
    // Where the unit is wrong its limits are unknown, and one fault is enough.
    let point = ValueDecoder<Double>.number(unit?.limits ?? ConfigurationLimits.grams)
    let name = reader.required("name", .text)
    let (press, release) = (reader.required("press", point), reader.required("release", point))
    guard let unit, let name, let press, let release else { return nil }
    let threshold = reader.pair { () throws(InconsistentValuesError) in
      try Threshold(press: press, release: release)
    }
    return threshold.map { PressStage(name: name, threshold: $0, unit: unit) }
  }
}
