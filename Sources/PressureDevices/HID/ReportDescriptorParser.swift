/// Parses a report descriptor, item by item.
///
/// Its limits are far above what devices need, so that a malformed descriptor costs little.
struct ReportDescriptorParser {
  /// The state that applies until it is set again.
  private struct Globals {
    var usagePage: UInt16 = 0

    /// What fields have of it; the count is that of all fields of a main item, and what belongs to one field is unset.
    var field = ReportField()

    /// The tags of items that no field has used yet, and the usages of the first fields that have used the others.
    private var unused: Set<UInt8> = []
    private var origins: [UInt8: Usage] = [:]

    mutating func set(_ tag: UInt8) {
      unused.insert(tag)
      origins[tag] = nil
    }

    /// Notes the first usage of a main item.
    mutating func use(for usage: Usage) {
      for tag in unused { origins[tag] = usage }
      unused = []
    }

    func inheritance(of usage: Usage) -> Inheritance {
      // The other usage that an item was set for; nil if it was set for this one, or never.
      func other(_ tag: UInt8) -> Usage? { origins[tag] == usage ? nil : origins[tag] }
      return Inheritance(
        logicalMaximum: other(0x2), physicalMaximum: other(0x4), unit: other(0x6),
        unitExponent: other(0x5))
    }
  }

  /// A usage whose page may be set later, by the page that applies at the main item.
  private struct LocalUsage {
    var id: UInt16
    var page: UInt16?

    func complete(_ page: UInt16) -> Usage { Usage(self.page ?? page, id) }
  }

  /// The state that holds until the next main item.
  private struct Locals {
    var usages: [LocalUsage] = []
    var minimum = LocalUsage(id: 0)
    var isInDelimiter = false

    /// The number of delimited sets; only the first one counts.
    var delimitedSets = 0
  }

  private struct Item {
    var tag: UInt8
    var data: UInt32
    var size: Int

    var signed: Int64 {
      switch size {
      case 1: Int64(Int8(truncatingIfNeeded: data))
      case 2: Int64(Int16(truncatingIfNeeded: data))
      default: Int64(Int32(truncatingIfNeeded: data))
      }
    }

    /// A maximum is signed only if the minimum is below zero, as in the kernel.
    func maximum(above minimum: Int64) -> Int64 { minimum < 0 ? signed : Int64(data) }

    /// A power of ten: devices state it as four bits or as a signed number.
    var exponent: Int { data < 16 ? Int(data) - (data > 7 ? 16 : 0) : Int(signed) }
  }

  private static let maximumDepth = 32
  private static let maximumCollections = 512
  private static let maximumFields = 2048
  private static let maximumUsages = 2048
  private static let maximumPushes = 16
  private static let maximumReportSize = 256
  private static let maximumReportCount = 12_288
  private static let maximumReportBits = 16_384 * 8

  private(set) var descriptor = ReportDescriptor()
  private var globals = Globals()
  private var stack: [Globals] = []
  private var locals = Locals()
  private var open: [Int] = []

  /// The lengths of the reports so far, by their numbers.
  private var bitOffsets: [ReportField.Kind: [UInt8?: Int]] = [:]
  private var offset = 0

  mutating func parse(_ bytes: [UInt8]) throws(ReportDescriptorError) {
    while offset < bytes.count {
      let prefix = bytes[offset]
      try check(prefix != 0xfe, .longItem)
      let size = [0, 1, 2, 4][Int(prefix & 3)]
      try check(bytes.count - offset > size, .truncatedItem)
      var data: UInt32 = 0
      for index in 0..<size { data |= UInt32(bytes[offset + 1 + index]) << UInt32(8 * index) }
      let item = Item(tag: prefix >> 4, data: data, size: size)
      switch prefix >> 2 & 3 {
      case 0: try parseMain(item)
      case 1: try parseGlobal(item)
      case 2: try parseLocal(item)
      // Reserved; the kernel ignores it, too.
      default: break
      }
      offset += 1 + size
    }
    try check(open.isEmpty, .openCollection)
    try check(!locals.isInDelimiter, .delimiter)
  }

  private func check(
    _ isValid: Bool, _ reason: ReportDescriptorError.Reason
  ) throws(ReportDescriptorError) {
    if !isValid { throw ReportDescriptorError(offset: offset, reason: reason) }
  }

  private mutating func parseMain(_ item: Item) throws(ReportDescriptorError) {
    try check(!locals.isInDelimiter, .delimiter)
    defer { locals = Locals() }
    switch item.tag {
    case 0x8: try add(.input, item.data)
    case 0x9: try add(.output, item.data)
    case 0xb: try add(.feature, item.data)
    case 0xa:
      try check(open.count < ReportDescriptorParser.maximumDepth, .nesting)
      let count = descriptor.collections.count
      try check(count < ReportDescriptorParser.maximumCollections, .tooManyCollections)
      descriptor.collections.append(
        ReportCollection(
          usage: locals.usages.first?.complete(globals.usagePage) ?? .none, parent: open.last))
      open.append(count)
    case 0xc: try check(open.popLast() != nil, .unopenedCollection)
    // Reserved; the kernel ignores it, too.
    default: break
    }
  }

  private mutating func parseGlobal(_ item: Item) throws(ReportDescriptorError) {
    globals.set(item.tag)
    switch item.tag {
    case 0x0: globals.usagePage = UInt16(truncatingIfNeeded: item.data)
    case 0x1: globals.field.logicalMinimum = item.signed
    case 0x2: globals.field.logicalMaximum = item.maximum(above: globals.field.logicalMinimum)
    case 0x3: globals.field.physicalMinimum = item.signed
    case 0x4: globals.field.physicalMaximum = item.maximum(above: globals.field.physicalMinimum)
    case 0x5: globals.field.unitExponent = item.exponent
    case 0x6: globals.field.unit = item.data
    case 0x7:
      try check(item.data <= ReportDescriptorParser.maximumReportSize, .reportSize)
      globals.field.bitSize = Int(item.data)
    case 0x8:
      try check((1...255).contains(item.data), .reportID)
      globals.field.reportID = UInt8(truncatingIfNeeded: item.data)
    case 0x9:
      try check(item.data <= ReportDescriptorParser.maximumReportCount, .reportCount)
      globals.field.count = Int(item.data)
    case 0xa:
      try check(stack.count < ReportDescriptorParser.maximumPushes, .stackOverflow)
      stack.append(globals)
    case 0xb:
      try check(!stack.isEmpty, .stackUnderflow)
      globals = stack.removeLast()
    default: try check(false, .unknownGlobal)
    }
  }

  private mutating func parseLocal(_ item: Item) throws(ReportDescriptorError) {
    if item.tag == 0xa {
      let begins = item.data == 1
      try check(begins != locals.isInDelimiter, .delimiter)
      locals.isInDelimiter = begins
      if begins { locals.delimitedSets += 1 }
      return
    }
    // Of alternative usages only the first set is used, as in the kernel.
    guard !locals.isInDelimiter || locals.delimitedSets <= 1 else { return }
    let usage = LocalUsage(
      id: UInt16(truncatingIfNeeded: item.data),
      page: item.size == 4 ? UInt16(truncatingIfNeeded: item.data >> 16) : nil)
    switch item.tag {
    case 0x0:
      let room = ReportDescriptorParser.maximumUsages - locals.usages.count
      try check(room > 0, .tooManyUsages)
      locals.usages.append(usage)
    case 0x1: locals.minimum = usage
    case 0x2: addRange(to: usage)
    // Strings and designators.
    default: break
    }
  }

  /// Adds a range; one that ends before it begins, or on another page, is ignored, as other fields may be meaningful.
  private mutating func addRange(to last: LocalUsage) {
    let first = locals.minimum
    guard first.id <= last.id, first.page == nil || last.page == nil || first.page == last.page
    else { return }
    // An array may name all usages of a page; its fields need only the first ones.
    let room = ReportDescriptorParser.maximumUsages - locals.usages.count
    for id in (first.id...last.id).prefix(room) {
      locals.usages.append(LocalUsage(id: id, page: first.page ?? last.page))
    }
    locals.minimum = LocalUsage(id: 0)
  }

  private mutating func add(
    _ kind: ReportField.Kind, _ flags: UInt32
  ) throws(ReportDescriptorError) {
    var field = globals.field
    (field.kind, field.flags, field.collection) = (kind, flags, open.last)
    let (size, count) = (field.bitSize, field.count)
    let start = bitOffsets[kind]?[field.reportID] ?? 0
    let end = start + size * count
    try check(end <= ReportDescriptorParser.maximumReportBits, .reportLength)
    bitOffsets[kind, default: [:]][field.reportID] = end
    guard count > 0, size > 0 else { return }
    let usages =
      locals.usages.isEmpty ? [.none] : locals.usages.map { $0.complete(globals.usagePage) }
    let named = field.isArray ? 1 : min(usages.count, count)
    for index in 0..<named {
      try check(descriptor.fields.count < ReportDescriptorParser.maximumFields, .tooManyFields)
      field.bitOffset = start + index * size
      // The last usage is also that of all further values.
      field.count = index == named - 1 ? count - index : 1
      field.usage = usages[index]
      if !field.isConstant { field.inherited = globals.inheritance(of: field.usage) }
      descriptor.fields.append(field)
    }
    // Items of padding are set for its size only.
    if !field.isConstant { globals.use(for: usages[0]) }
  }
}
