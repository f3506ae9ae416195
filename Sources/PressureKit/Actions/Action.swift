/// A quick action: what it is called, how it looks, and what performs it.
public struct Action: Hashable, Sendable {
  /// Its one and only name, such as `local.tare`.
  public var type: String

  public var title: String
  public var subtitle: String?

  /// The name of an icon in the desktop's theme.
  public var icon: String?

  /// The path of a picture.
  public var iconFile: String?

  /// What is handed on to whoever performs it.
  public var userInfo: [String: String] = [:]

  /// The press that performs it; nil where only a request does.
  public var trigger: ActionTrigger?

  public init(type: String, title: String) {
    self.type = type
    self.title = title
  }
}

/// The press that performs an action.
public struct ActionTrigger: Hashable, Sendable {
  /// The name of the stage that must be reached.
  public var stage: String

  public var fingers = Fingers.exactly(1)

  /// The name of the region in which the press began, or nil for anywhere.
  public var region: String?

  /// On which devices.
  public var device: Glob = "*"

  public init(stage: String) {
    self.stage = stage
  }
}

extension ActionTrigger {
  /// Whether a press that has just come into a stage performs the action; the device is not looked at.
  package func fires(for press: Press) -> Bool {
    press.comesIntoStage && press.stage == stage && fingers.allows(press.fingers)
      && (region == nil || region == press.target?.name)
  }
}

extension Action {
  /// The actions that there are without any configuration.
  public static let builtIn: [Action] = [
    Action(type: "pressured.tare", title: "Tare", subtitle: "What lies there does not count"),
    Action(type: "pressured.untare", title: "Untare", subtitle: "All that lies there counts again"),
    Action(type: "pressured.zero", title: "Zero", subtitle: "What is read now is nothing"),
    Action(type: "pressured.hold", title: "Hold", subtitle: "The reading stays as it is"),
    Action(type: "pressured.release", title: "Release", subtitle: "The reading follows again"),
  ]

  private init(type: String, title: String, subtitle: String) {
    self.init(type: type, title: title)
    self.subtitle = subtitle
  }

  /// What the action does to the scale by itself, or nil.
  ///
  /// The last part of the type counts, so that `local.tare` tares as `pressured.tare` does.
  public var scaleRequest: ScaleRequest? {
    let last = type.utf8.split(separator: UInt8(ascii: ".")).last
    return Action.scaleRequests.first { last?.elementsEqual($0.name.utf8) ?? false }?.request
  }

  private static let scaleRequests: [(name: String, request: ScaleRequest)] = [
    ("tare", .tare), ("untare", .untare), ("zero", .zero), ("hold", .hold), ("release", .release),
  ]
}

extension Configuration {
  /// All actions: those that are configured, and the built-in ones that are not configured otherwise.
  public var allActions: [Action] {
    actions
      + Action.builtIn.filter { own in !actions.contains { $0.type.hasSameBytes(as: own.type) } }
  }
}

/// Lets what several fingers do together count once, though each of them is a press.
///
///             the first press that fits fires
///     free ──────────────────────────────────▶ taken ──▶ free again, when the last of its presses ends
///                                               │  ▲
///                                               └──┘ others that fit only join
public struct FireOncePerGroup<Key: Hashable, PressID: Hashable> {
  private var joined: [(key: Key, press: PressID)] = []

  public init() {}

  /// Whether a press fires what a trigger is for; where one finger or any number will do, each does.
  public mutating func admits(_ press: PressID, to key: Key, fingers: Fingers) -> Bool {
    guard fingers.areSeveral else { return true }
    let isFree = !joined.contains { $0.key == key }
    joined.append((key, press))
    return isFree
  }

  /// A press has ended.
  public mutating func release(_ press: PressID) {
    guard !joined.isEmpty else { return }
    joined.removeAll { $0.press == press }
  }
}

extension Fingers {
  /// Whether more than one finger is asked for.
  fileprivate var areSeveral: Bool {
    switch self {
    case .any: false
    case .exactly(let number): number > 1
    }
  }
}

extension String {
  /// Whether both are the same bytes of UTF-8.
  ///
  /// `==` and hashing take canonically equivalent texts for the same. For that they sort the combining marks after a
  /// letter, in time that is quadratic in their number, so neither is for a text of somebody else. Bytes are
  /// compared eight at a time: names are compared for each line and client.
  public func hasSameBytes(as other: String) -> Bool {
    guard utf8.count == other.utf8.count else { return false }
    let isSame = utf8.withContiguousStorageIfAvailable { left in
      other.utf8.withContiguousStorageIfAvailable { right in
        String.areSame(UnsafeRawBufferPointer(left), UnsafeRawBufferPointer(right))
      }
    }
    return (isSame ?? nil) ?? utf8.elementsEqual(other.utf8)
  }

  /// Compares as many bytes as both have.
  private static func areSame(
    _ left: UnsafeRawBufferPointer, _ right: UnsafeRawBufferPointer
  ) -> Bool {
    var place = 0
    while left.count - place >= 8 {
      let some = left.loadUnaligned(fromByteOffset: place, as: UInt64.self)
      guard some == right.loadUnaligned(fromByteOffset: place, as: UInt64.self) else {
        return false
      }
      place += 8
    }
    while place < left.count {
      guard left[place] == right[place] else { return false }
      place += 1
    }
    return true
  }
}
