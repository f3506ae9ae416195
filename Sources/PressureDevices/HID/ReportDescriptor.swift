/// A device's HID report descriptor: the fields of its reports, and the collections that they are in.
///
/// The descriptor states what the device measures in which units, and which settings it has. The kernel's input device shows
/// only a part of that. Reading it from sysfs opens no device.
///
/// The specification is the Device Class Definition for HID 1.11, section 6.2.2.
package struct ReportDescriptor: Hashable, Sendable {
  package internal(set) var fields: [ReportField] = []

  package internal(set) var collections: [ReportCollection] = []

  /// The length in bytes that the kernel accepts at most (`HID_MAX_DESCRIPTOR_SIZE`).
  package static let maximumLength = 4096

  /// Parses a descriptor as in `report_descriptor` in sysfs.
  ///
  /// It throws the first error. The kernel does not accept such a descriptor either, so nothing of it is used.
  package init(_ bytes: [UInt8]) throws(ReportDescriptorError) {
    guard bytes.count <= ReportDescriptor.maximumLength else {
      throw ReportDescriptorError(offset: ReportDescriptor.maximumLength, reason: .tooLong)
    }
    var parser = ReportDescriptorParser()
    try parser.parse(bytes)
    self = parser.descriptor
  }

  init() {}

  package func fields(_ usage: Usage, _ kind: ReportField.Kind) -> [ReportField] {
    fields.filter { $0.usage == usage && $0.kind == kind }
  }

  /// The usages of the collections that contain a field, the innermost first.
  package func path(of field: ReportField) -> [Usage] {
    guard let innermost = field.collection else { return [] }
    return sequence(first: innermost) { collections[$0].parent }.map { collections[$0].usage }
  }
}

/// What a field or collection is for, as assigned in the HID Usage Tables.
package struct Usage: Hashable, Sendable {
  package var page: UInt16
  package var id: UInt16

  package init(_ page: UInt16, _ id: UInt16) {
    (self.page, self.id) = (page, id)
  }

  /// The usage without a meaning, of fields that declare none.
  static let none = Usage(0, 0)
}

package struct ReportCollection: Hashable, Sendable {
  package var usage: Usage

  /// The index of the collection that contains it; nil for a top-level collection.
  package var parent: Int?
}

/// A field of a report: one value, or several consecutive ones with the same usage.
package struct ReportField: Hashable, Sendable {
  package enum Kind: String, Hashable, Sendable {
    case input
    case output
    case feature
  }

  package var kind = Kind.input

  /// The number that precedes the report; nil if the device's reports have none.
  package var reportID: UInt8?

  /// The position in the report, without its number.
  package var bitOffset = 0

  package var bitSize = 0

  package var count = 0

  /// What the values mean; for an array the first of the usages that it may contain.
  package var usage = Usage.none

  /// The index of the innermost collection; nil outside of all.
  package var collection: Int?

  /// The data of the main item; see `isConstant` and `isArray`.
  package var flags: UInt32 = 0

  package var logicalMinimum: Int64 = 0
  package var logicalMaximum: Int64 = 0
  package var physicalMinimum: Int64 = 0
  package var physicalMaximum: Int64 = 0

  /// The unit, four bits for each dimension; 0 for none.
  package var unit: UInt32 = 0

  /// The power of ten by which physical values are multiplied.
  package var unitExponent = 0

  /// What was not set for this field but still applies from an earlier one of another usage.
  package var inherited = Inheritance()

  /// Whether it is padding.
  package var isConstant: Bool { flags & 1 != 0 }

  /// Whether values are indices of usages, as of the keys of a keyboard.
  package var isArray: Bool { flags & 2 == 0 }
}

/// From which usages a field has the global items that were not set for it; nil for an item that was, or that was never set.
///
/// A global item applies until it is set again. If a range is not set for a pressure, it is that of the axis before
/// it, and therefore false.
package struct Inheritance: Hashable, Sendable {
  package var logicalMaximum: Usage?
  package var physicalMaximum: Usage?
  package var unit: Usage?
  package var unitExponent: Usage?
}

package struct ReportDescriptorError: Error, Hashable {
  package enum Reason: String, Hashable, Sendable {
    case tooLong = "it is longer than 4096 bytes"
    case truncatedItem = "an item is truncated"
    case longItem = "a long item, which no device uses"
    case unknownGlobal = "an unknown global item"
    case nesting = "collections are nested more than 32 deep"
    case tooManyCollections = "more than 512 collections"
    case tooManyFields = "more than 2048 fields"
    case tooManyUsages = "more than 2048 usages for one item"
    case unopenedCollection = "the end of a collection that did not begin"
    case openCollection = "a collection does not end"
    case stackOverflow = "global items are pushed more than 16 times"
    case stackUnderflow = "global items are popped that were not pushed"
    case reportSize = "a field of more than 256 bits"
    case reportCount = "an item of more than 12288 fields"
    case reportLength = "a report of more than 16384 bytes"
    case reportID = "a report number that is not 1 to 255"
    case delimiter = "unbalanced delimiters"
  }

  package var offset: Int

  package var reason: Reason

  package var sentence: String {
    "the HID report descriptor is malformed at byte \(offset): \(reason.rawValue)"
  }
}
