internal import PressureKit
internal import PressureProtocol

/// A quick action that a client has added.
struct ClientAction {
  /// The number of the client.
  let client: Int
  let action: Action

  /// The seats whose presses perform it and whose users know it: those that the client may control.
  var seats = SeatSet.all
}

/// All quick actions in listing order: configured ones, those of clients, and built-in ones that are not replaced.
///
/// Types are looked up by their UTF-8 bytes: hashing or comparing untrusted text as a `String` would normalize it.
struct ActionTable {
  struct Entry: Hashable {
    let action: Action

    /// Whether a client has added it.
    let isDynamic: Bool
  }

  private let configured: [Action]
  private let builtIn: [Action]

  /// The first index of each type among the configured actions.
  private let places: [[UInt8]: Int]

  /// The actions that clients have added, in the order of adding.
  var added: [ClientAction] { didSet { updateDynamic() } }

  /// The actions of clients, except those whose type is configured.
  private(set) var dynamic: [ClientAction] = []

  init(_ configuration: Configuration, added: [ClientAction] = []) {
    configured = configuration.actions
    let pairs = configured.enumerated().map { (Array($1.type.utf8), $0) }
    let places = Dictionary(pairs) { first, _ in first }
    self.places = places
    builtIn = Action.builtIn.filter { places[Array($0.type.utf8)] == nil }
    self.added = added
    updateDynamic()
  }

  private mutating func updateDynamic() {
    dynamic = added.filter { places[Array($0.action.type.utf8)] == nil }
  }

  /// The table as clients at some seats know it: without the actions of other seats.
  func visible(at seats: SeatSet) -> ActionTable {
    var table = self
    table.added.removeAll { $0.seats.isDisjoint(with: seats) }
    return table
  }

  /// The action with a type, or nil.
  func action(_ type: String) -> Action? { find(type)?.action }

  /// The action with a type and the seats that know it, or nil.
  func find(_ type: String) -> (action: Action, seats: SeatSet)? {
    if let place = places[Array(type.utf8)] { return (configured[place], .all) }
    if let added = dynamic.first(where: { $0.action.type.hasSameBytes(as: type) }) {
      return (added.action, added.seats)
    }
    return builtIn.first { $0.type.hasSameBytes(as: type) }.map { ($0, .all) }
  }

  /// Throws if a client, by its number, may not add an action that users at some seats know.
  func checkRoom(
    for action: Action, of client: Int, at seats: SeatSet = .all
  ) throws(RequestError) {
    guard added.count(where: { $0.client == client }) < Action.maxPerClient else {
      throw RequestError(.failed, "a client may add \(Action.maxPerClient) actions")
    }
    guard added.count < Action.maxForAllClients else {
      throw RequestError(.failed, "all clients together may add \(Action.maxForAllClients) actions")
    }
    guard visible(at: seats).action(action.type) == nil else {
      throw RequestError(.failed, "an action \(action.type.truncated) exists already")
    }
  }
}

extension ActionTable: RandomAccessCollection {
  var startIndex: Int { 0 }
  var endIndex: Int { configured.count + dynamic.count + builtIn.count }

  subscript(place: Int) -> Entry {
    var place = place
    if place < configured.count { return Entry(action: configured[place], isDynamic: false) }
    place -= configured.count
    if place < dynamic.count { return Entry(action: dynamic[place].action, isDynamic: true) }
    return Entry(action: builtIn[place - dynamic.count], isDynamic: false)
  }
}
