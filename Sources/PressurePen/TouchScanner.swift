internal import PressureProtocol

/// Reads the contacts of a `weight` line without allocating memory.
///
/// The full decoder, `ReceivedEvent`, allocates for each field, which is too slow for each frame of a pen. This one accepts
/// a line only if the full decoder reads the same contacts; it declines all others, which that one then decodes.
package struct TouchScanner {
  /// Contacts beyond this number are not kept.
  package static let maximumContacts = 32

  /// The contacts of the last line that `scan` accepted.
  package private(set) var touches: [PenTouch] = []

  /// The contacts of the line that is being read; a line that is declined leaves `touches` as they were.
  private var read: [PenTouch] = []

  /// The ID of the pad; before it is subscribed to, lines of others arrive as well.
  private let device: [UInt8]

  /// The size of the pad, by which positions are multiplied if the device states no millimeters.
  private let size: PenPoint

  /// - Parameters:
  ///   - device: the ID of the pad.
  ///   - size: its width and height in millimeters, real or nominal.
  package init(device: String, size: PenPoint) {
    (self.device, self.size) = (Array(device.utf8), size)
    touches.reserveCapacity(TouchScanner.maximumContacts)
    read.reserveCapacity(TouchScanner.maximumContacts)
  }

  /// Forgets all contacts.
  mutating func clear() {
    touches.removeAll(keepingCapacity: true)
  }

  /// Uses the contacts of a line that the full decoder has read.
  mutating func replace(by weight: ReceivedWeight) {
    clear()
    for contact in weight.contacts where touches.count < TouchScanner.maximumContacts {
      var values = ContactValues()
      (values.x, values.y) = (contact.x, contact.y)
      (values.xMillimeters, values.yMillimeters) = (contact.xMillimeters, contact.yMillimeters)
      guard let point = values.point(on: size) else { continue }
      touches.append(
        PenTouch(
          contact: contact.contact, point: point, force: contact.force,
          maximumForce: contact.maximumPossibleForce, length: contact.majorMillimeters))
    }
  }

  /// Reads a line.
  ///
  /// - Parameter line: the line without its line feed.
  /// - Returns: whether it is a valid `weight` line of the pad, whose contacts are now in `touches`.
  package mutating func scan(_ line: UnsafeRawBufferPointer) -> Bool {
    var cursor = JSONCursor(line)
    guard cursor.skip("{"), cursor.skip("\"event\""), cursor.skip(":"), cursor.skip("\"weight\"")
    else { return false }
    read.removeAll(keepingCapacity: true)
    var fields = FieldSet(Field.ofWeight)
    while cursor.skip(",") {
      guard let key = cursor.key() else { return false }
      switch fields.find(key, cursor) {
      case .repeated: return false
      case .unknown: guard cursor.skipValue() else { return false }
      case .field(let field) where field.kind == .contacts:
        guard scanContacts(&cursor) else { return false }
      case .field(let field) where field.kind == .device:
        guard let text = cursor.plainText(),
          device.withUnsafeBytes({ cursor.matches(text, $0) })
        else { return false }
      case .field(let field): guard cursor.value(of: field) != nil else { return false }
      }
    }
    guard fields.areComplete, cursor.skip("}"), cursor.isAtEnd else { return false }
    swap(&touches, &read)
    return true
  }

  private mutating func scanContacts(_ cursor: inout JSONCursor) -> Bool {
    guard cursor.skip("[") else { return false }
    if cursor.skip("]") { return true }
    repeat {
      guard let touch = scanContact(&cursor) else { return false }
      if read.count < TouchScanner.maximumContacts { read.append(touch) }
    } while cursor.skip(",")
    return cursor.skip("]")
  }

  private func scanContact(_ cursor: inout JSONCursor) -> PenTouch? {
    guard cursor.skip("{") else { return nil }
    var values = ContactValues()
    var fields = FieldSet(Field.ofContact)
    repeat {
      guard let key = cursor.key() else { return nil }
      switch fields.find(key, cursor) {
      case .repeated: return nil
      case .unknown: guard cursor.skipValue() else { return nil }
      case .field(let field):
        guard let value = cursor.value(of: field) else { return nil }
        if case .number(let number) = value { values.store(number, as: field.meaning) }
      }
    } while cursor.skip(",")
    guard fields.areComplete, cursor.skip("}"), let point = values.point(on: size) else {
      return nil
    }
    return PenTouch(
      contact: values.contact, point: point, force: values.force,
      maximumForce: values.maximumForce, length: values.length)
  }
}

// MARK: - Fields

/// The values of a contact that a pen needs.
private struct ContactValues {
  var contact: Int64 = 0
  var force = 0.0
  var maximumForce = 0.0
  var length: Double?
  var x: Double?
  var y: Double?
  var xMillimeters: Double?
  var yMillimeters: Double?

  mutating func store(_ number: JSONCursor.Number, as meaning: Field.Meaning) {
    switch meaning {
    case .other: break
    case .contact: contact = number.whole ?? 0
    case .force: force = number.value
    case .maximumForce: maximumForce = number.value
    case .length: length = number.value
    case .x: x = number.value
    case .y: y = number.value
    case .xMillimeters: xMillimeters = number.value
    case .yMillimeters: yMillimeters = number.value
    }
  }

  /// The farthest place that is one on a pad, in millimeters: differences of larger numbers need not be numbers.
  private static let places = -1e6...1e6

  func point(on size: PenPoint) -> PenPoint? {
    let point: PenPoint
    if let xMillimeters, let yMillimeters {
      point = PenPoint(x: xMillimeters, y: yMillimeters)
    } else if let x, let y {
      point = PenPoint(x: x * size.x, y: y * size.y)
    } else {
      return nil
    }
    let places = ContactValues.places
    return places.contains(point.x) && places.contains(point.y) ? point : nil
  }
}

/// A field of `ReceivedWeight` or `ReceivedPressure`: a value of another type makes the full decoder refuse the line.
private struct Field {
  enum Kind {
    case integer, number, text, flag, device, contacts
  }

  /// What a pen uses it for.
  enum Meaning {
    case other, contact, force, maximumForce, length, x, y, xMillimeters, yMillimeters
  }

  let name: StaticString
  let kind: Kind
  let isOptional: Bool
  let meaning: Meaning

  init(_ name: StaticString, _ kind: Kind, isOptional: Bool = false, _ meaning: Meaning = .other) {
    (self.name, self.kind, self.isOptional, self.meaning) = (name, kind, isOptional, meaning)
  }

  // In the order in which the daemon writes them.

  static let ofWeight = [
    Field("time", .integer), Field("device", .device), Field("contacts", .contacts),
    Field("total_grams", .number, isOptional: true),
    Field("center_x", .number, isOptional: true), Field("center_y", .number, isOptional: true),
    Field("heaviest", .integer, isOptional: true), Field("shared_sensor", .flag),
  ]

  static let ofContact = [
    Field("slot", .integer), Field("contact", .integer, .contact), Field("phase", .text),
    Field("x", .number, isOptional: true, .x), Field("y", .number, isOptional: true, .y),
    Field("x_mm", .number, isOptional: true, .xMillimeters),
    Field("y_mm", .number, isOptional: true, .yMillimeters),
    Field("raw", .integer, isOptional: true), Field("ratio", .number),
    Field("force", .number, .force), Field("maximum_possible_force", .number, .maximumForce),
    Field("grams", .number, isOptional: true), Field("saturated", .flag),
    Field("major_mm", .number, isOptional: true, .length),
    Field("minor_mm", .number, isOptional: true), Field("width_mm", .number, isOptional: true),
    Field("angle", .number, isOptional: true),
  ]
}

/// The fields of an object, and which of them were read.
private struct FieldSet {
  enum Match {
    case field(Field)
    case unknown
    /// Parsers disagree about which value counts.
    case repeated
  }

  private let fields: [Field]
  private var found: UInt32 = 0

  /// The field that probably follows.
  private var next = 0

  init(_ fields: [Field]) {
    self.fields = fields
  }

  mutating func find(_ key: JSONCursor.Text, _ cursor: JSONCursor) -> Match {
    for offset in 0..<fields.count {
      let index = (next + offset) % fields.count
      guard cursor.matches(key, fields[index].name) else { continue }
      guard found & (1 << index) == 0 else { return .repeated }
      found |= 1 << index
      next = index + 1
      return .field(fields[index])
    }
    return .unknown
  }

  /// Whether all fields were read that are not optional.
  var areComplete: Bool {
    fields.indices.allSatisfy { fields[$0].isOptional || found & (1 << $0) != 0 }
  }
}

extension JSONCursor {
  fileprivate enum Value {
    case number(Number)
    case other
  }

  /// Reads the value of a field; nil if it is not of its type.
  fileprivate mutating func value(of field: Field) -> Value? {
    if field.isOptional, skip("null") { return .other }
    switch field.kind {
    case .integer:
      guard let number = number(), number.whole != nil else { return nil }
      return .number(number)
    case .number: return number().map { .number($0) }
    case .text, .device: return plainText() == nil ? nil : .other
    case .flag: return skip("true") || skip("false") ? .other : nil
    case .contacts: return nil
    }
  }
}
