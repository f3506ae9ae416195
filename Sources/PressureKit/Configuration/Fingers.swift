/// With how many fingers a gesture is made.
public enum Fingers: Hashable, Sendable {
  /// Any number will do.
  case any
  /// This number, 1…10, and another one fails the gesture.
  case exactly(Int)

  /// Whether so many fingers make the gesture.
  public func allows(_ count: Int) -> Bool {
    switch self {
    case .any: true
    case .exactly(let wanted): count == wanted
    }
  }

  /// Whether so many fingers are too many, so that waiting for others would not help.
  func isExceeded(by count: Int) -> Bool {
    switch self {
    case .any: false
    case .exactly(let wanted): count > wanted
    }
  }
}
