import PressureKit

@testable import PressureClient
@testable import PressureProtocol
@testable import PressureTerminal

/// Lines of a daemon, as received by a viewer.
enum Lines {
  static func event(_ line: String) -> ReceivedEvent { ReceivedEvent(line: Array(line.utf8)) }

  static func device(
    _ name: String = "pad", change: String = "present", size: String = "[100,50]",
    capability: String = "size", source: String = "nominal"
  ) -> String {
    """
    {"event":"device","time":1,"device":"\(name)","change":"\(change)","name":"Pad of \(name)",\
    "node":"/dev/input/event5","slots":5,"capability":"\(capability)","per_contact":true,\
    "weight_source":"\(source)","pressure":null,"size_mm":\(size),"haptics":false,\
    "simulated_press":false}
    """
  }

  static func contact(
    _ id: Int, x: Double = 0.5, y: Double = 0.5, ratio: Double = 0.2, grams: String = "77",
    saturated: Bool = false
  ) -> String {
    """
    {"slot":0,"contact":\(id),"phase":"moved","x":\(x),"y":\(y),"raw":51,"ratio":\(ratio),"force":1.3,\
    "maximum_possible_force":6.667,"grams":\(grams),"saturated":\(saturated)}
    """
  }

  static func weight(
    _ contacts: String..., heaviest: String = "null", of device: String = "pad"
  ) -> String {
    weight(contacts, heaviest: heaviest, of: device)
  }

  static func weight(
    _ contacts: [String], heaviest: String = "null", of device: String = "pad"
  ) -> String {
    """
    {"event":"weight","time":2000,"device":"\(device)","contacts":[\(contacts.joined(separator: ","))],\
    "total_grams":\(contacts.count * 77),"center_x":0.5,"center_y":0.5,"heaviest":\(heaviest),\
    "shared_sensor":false}
    """
  }

  static func press(
    _ state: String, time: Int = 0, stage: String = "light", ratio: Double = 0.4,
    simulated: Bool = false
  ) -> String {
    """
    {"event":"press","time":\(time),"device":"pad","state":"\(state)","contact":45,"slot":0,"x":0.5,\
    "y":0.5,"fingers":1,"stage":"\(stage)","progress":0.25,"transition":0,"force":1,"ratio":\(ratio),\
    "grams":\(simulated ? "null" : "150"),"simulated":\(simulated),"target":null}
    """
  }

  static let scale = """
    {"event":"scale","time":7,"device":"pad","status":"stable","grams":76.9,"gross_grams":80,\
    "tare_grams":3.1,"error_grams":4,"repeat_grams":0.4,"rate":0,"held":false,"decaying":false,"target":null}
    """

  /// The reply to `state` for a device with one contact.
  static func state(of device: String, _ contact: String) throws -> ReceivedState {
    let text = #"{"device":"\#(device)","contacts":[\#(contact)],"heaviest":4,"scale":\#(scale)}"#
    return try LineDecoder.decode(ReceivedState.self, from: Array(text.utf8))
  }

  static func model(_ lines: String...) -> WatchViewModel {
    var model = WatchViewModel()
    for line in lines { model.update(with: event(line)) }
    return model
  }
}

extension Canvas {
  /// The characters of each row.
  var rows: [String] {
    (0..<size.rows).map { row in
      (0..<size.columns).reduce(into: "") { text, column in
        if let glyph = cell(column, row)?.glyph { text.unicodeScalars.append(glyph) }
      }
    }
  }
}
