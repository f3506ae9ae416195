internal import PressureKit

/// All quick actions in the order in which they are listed: those of the configuration, those that clients have
/// added, and the built-in ones that the configuration does not replace.
///
/// Types are found by their bytes. A text that clients send may not be hashed or compared as a `String`, which
/// would normalize it.
struct ActionTable {
  struct Entry: Hashable {
    let action: Action

    /// Whether a client has added it.
    let isDynamic: Bool
  }

  private let configured: [Action]
  private let builtIn: [Action]

  /// The first place of each type among those that are configured.
  private let places: [[UInt8]: Int]

  /// The actions of clients; if a reload brings one of the same type, that of the configuration counts.
  private(set) var dynamic: [Action] = []

  init(_ configuration: Configuration, added: [ClientAction] = []) {
    configured = configuration.actions
    let pairs = configured.enumerated().map { (Array($1.type.utf8), $0) }
    let places = Dictionary(pairs) { first, _ in first }
    self.places = places
    builtIn = Action.builtIn.filter { places[Array($0.type.utf8)] == nil }
    setDynamic(added)
  }

  /// Lists the actions of clients anew.
  mutating func setDynamic(_ added: [ClientAction]) {
    dynamic = added.map(\.action).filter { places[Array($0.type.utf8)] == nil }
  }

  /// The action of a type, or nil.
  func action(_ type: String) -> Action? {
    if let place = places[Array(type.utf8)] { return configured[place] }
    return dynamic.first { $0.type.hasSameBytes(as: type) }
      ?? builtIn.first { $0.type.hasSameBytes(as: type) }
  }
}

extension ActionTable: RandomAccessCollection {
  var startIndex: Int { 0 }
  var endIndex: Int { configured.count + dynamic.count + builtIn.count }

  subscript(place: Int) -> Entry {
    var place = place
    if place < configured.count { return Entry(action: configured[place], isDynamic: false) }
    place -= configured.count
    if place < dynamic.count { return Entry(action: dynamic[place], isDynamic: true) }
    return Entry(action: builtIn[place - dynamic.count], isDynamic: false)
  }
}
