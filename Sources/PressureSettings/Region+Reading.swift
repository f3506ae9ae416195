package import PressureKit

extension Region {
  package static func read(_ reader: inout MappingDecoder) -> Region? {
    var device: Glob = "*"
    let name = reader.required("name", .text)
    reader.value("device", .glob, into: &device)
    let part = ValueDecoder<Double>.number(ConfigurationLimits.ratio)
    let (x, y) = (reader.required("x", part), reader.required("y", part))
    let (width, height) = (reader.required("width", part), reader.required("height", part))
    guard let name, let x, let y, let width, let height else { return nil }
    return reader.pair { () throws(InconsistentValuesError) in
      try Region(name: name, device: device, x: x, y: y, width: width, height: height)
    }
  }
}
