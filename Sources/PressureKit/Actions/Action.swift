/// A quick action: its name, its appearance and the press that triggers it.
public struct Action: Hashable, Sendable {
  /// The unique name, such as `local.tare`.
  public var type: String

  /// The title shown to users.
  public var title: String

  /// A second line for users; nil for none.
  public var subtitle: String?

  /// An icon name in the desktop's icon theme.
  public var icon: String?

  /// The path of an image file.
  public var iconFile: String?

  /// Data that is passed to the client that performs the action.
  public var userInfo: [String: String] = [:]

  /// The press that triggers the action; nil if only a request performs it.
  public var trigger: ActionTrigger?

  /// Creates an action that only requests perform.
  public init(type: String, title: String) {
    self.type = type
    self.title = title
  }

  package static let builtIn: [Action] = scaleActions.map { name, title, subtitle, _ in
    var action = Action(type: "pressured.\(name)", title: title)
    action.subtitle = subtitle
    return action
  }

  /// The request that the action sends to the scale; nil if it sends none.
  ///
  /// The last component of the type decides, so `local.tare` tares as `pressured.tare` does.
  package var scaleRequest: ScaleRequest? {
    let last = type.utf8.split(separator: UInt8(ascii: ".")).last
    return Action.scaleActions.first { last?.elementsEqual($0.name.utf8) ?? false }?.request
  }

  private typealias ScaleAction = (
    name: String, title: String, subtitle: String, request: ScaleRequest
  )

  private static let scaleActions: [ScaleAction] = [
    ("tare", "Tare", "Present load subtracted", .tare),
    ("untare", "Untare", "Tare removed", .clearTare),
    ("zero", "Zero", "Zero set", .zero),
    ("hold", "Hold", "Reading held", .hold),
    ("release", "Release", "Hold released", .release),
  ]
}

/// The condition under which a press triggers an action.
public struct ActionTrigger: Hashable, Sendable {
  /// The name of the stage that the press must enter.
  public var stage: String

  /// The number of fingers that must press.
  public var fingers = Fingers.exactly(1)

  /// The name of the region in which the press began; nil for any place.
  public var region: String?

  /// The devices to which the trigger applies, by device ID.
  public var device: Glob = "*"

  /// Creates a trigger for one finger, in any place, on any device.
  public init(stage: String) {
    self.stage = stage
  }

  /// Whether a press that has just entered a stage triggers the action; `device` is not checked.
  package func fires(for press: Press) -> Bool {
    press.entersStage && press.stage == stage && fingers.allows(press.fingers)
      && (region == nil || region == press.target?.name)
  }
}

extension Configuration {
  package var allActions: [Action] {
    actions
      + Action.builtIn.filter { own in !actions.contains { $0.type.hasSameBytes(as: own.type) } }
  }
}

/// Fires a trigger once per group of fingers, although each finger of the group is a press.
///
///             first matching press fires
///     idle ──────────────────────────────▶ fired ──▶ idle again when the last press of the group ends
///                                           │  ▲
///                                           └──┘ further matching presses join without firing
package struct FireOncePerGroup<Key: Hashable, PressID: Hashable> {
  private var joined: [(key: Key, press: PressID)] = []

  package init() {}

  /// A trigger for one finger or for any number of fingers fires for each press.
  package mutating func admits(_ press: PressID, to key: Key, fingers: Fingers) -> Bool {
    guard case .exactly(let number) = fingers, number > 1 else { return true }
    let isFree = !joined.contains { $0.key == key }
    joined.append((key, press))
    return isFree
  }

  package mutating func release(_ press: PressID) {
    guard !joined.isEmpty else { return }
    joined.removeAll { $0.press == press }
  }
}

extension String {
  /// Whether both strings have the same UTF-8 bytes.
  ///
  /// `==` and hashing treat canonically equivalent strings as equal. To do so they sort the combining marks after a
  /// letter in time quadratic in their number, so neither is safe for untrusted strings. Bytes are compared eight at
  /// a time, as names are compared for each line and client.
  @usableFromInline package func hasSameBytes(as other: String) -> Bool {
    guard utf8.count == other.utf8.count else { return false }
    let isSame = utf8.withContiguousStorageIfAvailable { left in
      other.utf8.withContiguousStorageIfAvailable { right in
        String.areSame(UnsafeRawBufferPointer(left), UnsafeRawBufferPointer(right))
      }
    }
    return (isSame ?? nil) ?? utf8.elementsEqual(other.utf8)
  }

  /// Compares as many bytes as `left` has; `right` must have at least as many.
  private static func areSame(
    _ left: UnsafeRawBufferPointer, _ right: UnsafeRawBufferPointer
  ) -> Bool {
    var offset = 0
    while left.count - offset >= 8 {
      let some = left.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
      guard some == right.loadUnaligned(fromByteOffset: offset, as: UInt64.self) else {
        return false
      }
      offset += 8
    }
    while offset < left.count {
      guard left[offset] == right[offset] else { return false }
      offset += 1
    }
    return true
  }
}
