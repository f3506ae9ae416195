import PressureKit

extension Timestamp {
  /// The time in a recording.
  package init(recorded seconds: Int64, _ microseconds: Int64) throws(LineError) {
    guard (0..<1_000_000).contains(microseconds) else {
      throw LineError(reason: "\(microseconds) microseconds are not within a second")
    }
    guard seconds >= 0 else {
      throw LineError(reason: "the time \(seconds) s is before any clock's")
    }
    guard let time = Timestamp(seconds: seconds, microseconds: microseconds) else {
      throw LineError(reason: "the time \(seconds) s does not fit into 64 bits of microseconds")
    }
    self = time
  }
}
