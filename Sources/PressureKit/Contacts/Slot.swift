/// The kernel's values of one slot.
package struct SlotValues: Hashable {
  /// The corresponding kernel constant is `MT_TOOL_PALM`.
  static let palm: Int32 = 2

  package var id: Int32 = -1
  package var x: Int32 = 0
  package var y: Int32 = 0
  package var pressure: Int32 = 0
  var tool: Int32 = 0
  package var distance: Int32 = 0
  package var major: Int32 = 0
  package var minor: Int32 = 0
  package var width: Int32 = 0
  package var orientation: Int32 = 0
}

/// One slot of the table: what is being said of it, what holds, and the contact in it.
struct Slot {
  private(set) var staged = SlotValues()
  private(set) var committed = SlotValues()

  /// The contact of the last frame, which an id of -1 or another id has ended since.
  var isLifted = false

  /// Something was said of it in this frame.
  var isTouched = false

  /// Who was in it before events were lost, until something is heard of the slot; -1 for nobody.
  var lostID: Int32 = -1

  /// Its contact was found to be a palm.
  var isPalm = false

  var contact: Contact?

  /// Takes values that count from the next report on.
  mutating func stage(_ values: SlotValues) {
    staged = values
    isTouched = true
  }

  /// What a report brought.
  struct Change {
    /// Whose slot it is now, if anybody's.
    let id: TrackingID?

    /// Whether that is another contact than before.
    let isNew: Bool

    /// Whether any value is another one.
    let isValueNew: Bool
  }

  /// Lets what was said count.
  mutating func commit() -> Change {
    let change = Change(
      id: TrackingID(staged.id), isNew: isLifted || committed.id < 0,
      isValueNew: staged != committed)
    committed = staged
    isLifted = false
    isTouched = false
    return change
  }

  mutating func restore() {
    staged = committed
    isLifted = false
    isTouched = false
  }

  /// Takes its contact for one that may have gone unheard.
  mutating func noteLoss() {
    if committed.id >= 0 { lostID = committed.id }
  }

  /// Its contact is still there, as a value of it has changed.
  mutating func findAgain() {
    guard lostID >= 0, staged.id < 0, staged != committed else { return }
    staged.id = lostID
    lostID = -1
  }

  mutating func empty() {
    restore()
    committed.id = -1
    staged.id = -1
    contact = nil
    isPalm = false
  }
}

/// A value that counts from the next SYN_REPORT on.
struct Staged<Value: Equatable> {
  var staged: Value
  private(set) var committed: Value

  init(_ value: Value) {
    staged = value
    committed = value
  }

  /// Whether the report changed it.
  mutating func commit() -> Bool {
    defer { committed = staged }
    return committed != staged
  }

  mutating func restore() {
    staged = committed
  }
}
