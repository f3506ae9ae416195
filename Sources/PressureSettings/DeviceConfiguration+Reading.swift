package import PressureKit

extension DeviceConfiguration {
  /// Reads what differs for some devices; what is not said of a press is as it is for all.
  package static func read(
    _ reader: inout MappingDecoder, over general: PressConfiguration
  ) -> DeviceConfiguration? {
    let match = reader.required("match", .glob)
    var device = DeviceConfiguration(match: match ?? "")
    reader.value("ignore", .optional(.truth), into: &device.ignored)
    reader.value(
      "effective_maximum", .optional(.whole(ConfigurationLimits.effectiveMaximum)),
      into: &device.effectiveMaximum)
    reader.value(
      "nominal_full_scale_grams", .optional(.number(ConfigurationLimits.fullScaleGrams)),
      into: &device.nominalFullScaleGrams)
    reader.mapping("press") { reader in
      var press = general
      press.read(&reader)
      device.press = press
    }
    return match.map { _ in device }
  }
}
