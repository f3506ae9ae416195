@testable import PressureKit
@testable import PressureProtocol

extension JSONLinesWriter {
  /// Adds the mappings of a report's first contact.
  mutating func draw(
    _ name: String, of event: Event, in configuration: Configuration
  ) {
    guard case .weight(let report) = event.kind, let contact = report.contacts.first else { return }
    let mapping = ForceMapping(contact, in: configuration.regions.first)
    let values: [Double] =
      switch name {
      case "zoom": [mapping.zoom.scale, mapping.zoom.x, mapping.zoom.y]
      case "shadow": [mapping.shadow().offset, mapping.shadow().radius]
      case "progress": [mapping.progress]
      case "circle": [mapping.circle.scale, mapping.circle.width]
      default: []
      }
    for byte in name.utf8 { append(byte: byte) }
    for value in values {
      append(" ")
      append(value, decimals: 3)
    }
    append("\n")
  }
}
