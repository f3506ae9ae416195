package import PressureKit

/// One file format, as text: a description, then frames.
package protocol RecordingWriter {
  /// What stands before the first frame.
  ///
  /// - Parameters:
  ///   - device: what the device says of itself.
  ///   - node: where it was.
  /// - Returns: whole lines.
  func head(of device: DeviceDescription, at node: String) -> String

  /// A whole frame, whose times begin with the recording.
  func text(of frame: RecordedFrame) -> String
}

/// The events up to a SYN_REPORT, that one included.
package struct RecordedFrame {
  package var events: [InputEvent]

  /// What people should know of it; it becomes a comment.
  package var remark: String?

  package init(events: [InputEvent], remark: String? = nil) {
    self.events = events
    self.remark = remark
  }
}

extension RecordingFormat {
  /// The endings of the files that can be written, without the dot.
  package static let endings = ["evemu", "events", "yml", "yaml"]

  /// Who writes a file of this name; nil where its ending says no format.
  package static func writer(for path: String) -> (any RecordingWriter)? {
    let name = path.split(separator: "/").last ?? ""
    guard let dot = name.lastIndex(of: "."), dot != name.startIndex else { return nil }
    return switch name[dot...].dropFirst() {
    case "evemu", "events": EvemuWriter()
    case "yml", "yaml": LibinputWriter()
    default: nil
    }
  }
}
