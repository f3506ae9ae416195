package import PressureKit

extension Engine {
  /// Receives the values of one frame at a time in microseconds, and the report that ends it.
  package mutating func receive(
    frame values: [(EventCode, Int32)], at time: Int64, into buffer: inout EventBuffer
  ) {
    for (code, value) in values + [(.report, 0)] {
      receive(
        InputEvent(time: Timestamp(microseconds: time), code: code, value: value), into: &buffer)
    }
  }
}
