/// A correction of what some devices report, with the keys of libinput's quirks.
package struct Quirk: Hashable, Sendable {
  package var title: String

  // MARK: Matches; nil matches all devices

  package var bus: UInt16?
  package var vendor: UInt16?
  package var products: Set<UInt16>?
  package var version: UInt16?
  package var name: Glob?
  package var uniqueID: Glob?
  package var dmiModalias: Glob?
  package var kind: DeviceKind?

  package enum DeviceKind: String, Hashable, Sendable {
    case touchpad
    case touchscreen
    /// Not a touch device; matches nothing.
    case other
  }

  // MARK: Corrections; nil changes nothing

  package var isPressurePad: Bool?

  /// libinput disables axes of pressure pads too, as it uses pressure as a contact size; those keep their axes.
  package var missingAxes: Set<UInt16> = []
  package var effectiveMaximum: Int32?
  package var clickPressure: Int32?
  package var contactsCarryTotal: Bool?
  package var measure: Verdict.Measure?
  package var hasInheritedRange: Bool?

  package init(title: String) {
    self.title = title
  }

  package func matches(_ description: DeviceDescription) -> Bool {
    bus ?? description.bus == description.bus
      && vendor ?? description.vendor == description.vendor
      && products?.contains(description.product) ?? true
      && version ?? description.version == description.version
      && name?.matches(description.name) ?? true
      && uniqueID?.matches(description.uniqueID) ?? true
      && kind ?? description.kind == description.kind
      && dmiModalias.map { glob in description.dmiModalias.map(glob.matches) ?? false } ?? true
  }

  fileprivate mutating func update<Value>(
    _ path: WritableKeyPath<Quirk, Value?>, by later: Quirk
  ) {
    self[keyPath: path] = later[keyPath: path] ?? self[keyPath: path]
  }
}

/// A key of quirks, with the name that libinput gives it, or one in its manner.
///
/// `all` lists all keys. Decoding, how several quirks of a device add up, the manual page and the words of the fuzz target
/// are derived from that table.
package struct QuirkKey {
  package let name: String
  package let summary: String
  package let isOfLibinput: Bool

  package let value: Value

  package enum Value {
    case bus(WritableKeyPath<Quirk, UInt16?>)
    case number(WritableKeyPath<Quirk, UInt16?>)
    case numbers(WritableKeyPath<Quirk, Set<UInt16>?>)
    case pattern(WritableKeyPath<Quirk, Glob?>)
    case kind(WritableKeyPath<Quirk, Quirk.DeviceKind?>)
    case truth(WritableKeyPath<Quirk, Bool?>)
    /// A value of the pressure axis, 1 or more.
    case units(WritableKeyPath<Quirk, Int32?>)
    case measure(WritableKeyPath<Quirk, Verdict.Measure?>, among: [Verdict.Measure])
    /// A property that is added to those of the device or removed.
    case property(WritableKeyPath<Quirk, Bool?>, named: String)
    /// Axes that are removed, by the names that state them.
    case axes(WritableKeyPath<Quirk, Set<UInt16>>, among: KeyValuePairs<String, EventCode>)
  }

  private init(
    _ name: String, _ value: Value, isOfLibinput: Bool = true, _ summary: String = ""
  ) {
    (self.name, self.value, self.isOfLibinput, self.summary) = (name, value, isOfLibinput, summary)
  }

  package static var all: [QuirkKey] {
    [
      QuirkKey("MatchBus", .bus(\.bus)),
      QuirkKey("MatchVendor", .number(\.vendor)),
      QuirkKey("MatchProduct", .numbers(\.products), "One of several products matches."),
      QuirkKey("MatchVersion", .number(\.version)),
      QuirkKey(
        "MatchName", .pattern(\.name), "The name of the device, with the wildcards \\* and ?."),
      QuirkKey(
        "MatchUniq", .pattern(\.uniqueID),
        "Its unique identifier (EVIOCGUNIQ), with the wildcards \\* and ?."),
      QuirkKey(
        "MatchDMIModalias", .pattern(\.dmiModalias),
        "The contents of /sys/class/dmi/id/modalias, with the wildcards \\* and ?. It never matches a recording."
      ),
      QuirkKey(
        "MatchUdevType", .kind(\.kind), "Types other than touchpad and touchscreen never match."),
      QuirkKey("ModelPressurePad", .truth(\.isPressurePad), "Whether the pad measures force."),
      QuirkKey(
        "AttrInputProp", .property(\.isPressurePad, named: "INPUT_PROP_PRESSUREPAD"),
        "The same, by the property of the kernel."),
      QuirkKey(
        "AttrEventCode",
        .axes(
          \.missingAxes,
          among: [
            "ABS_MT_PRESSURE": .pressure, "EV_ABS:0x3a": .pressure,
            "ABS_PRESSURE": .singlePressure, "EV_ABS:0x18": .singlePressure,
            "ABS_MT_TOOL_TYPE": .toolType, "EV_ABS:0x37": .toolType,
          ]),
        "Pressure axes to ignore: -ABS_MT_PRESSURE, -ABS_PRESSURE or both. Pads that measure force keep their axes: libinput "
          + "disables them for an unrelated reason. With -ABS_MT_TOOL_TYPE no contact is a palm, for pads that report palms that "
          + "are none."),
      QuirkKey(
        "AttrClickPressure", .units(\.clickPressure), isOfLibinput: false,
        "The value of the pressure axis at which the pad clicks."),
      QuirkKey(
        "ModelTotalPressure", .truth(\.contactsCarryTotal), isOfLibinput: false,
        "Whether the pressure of each contact is the total of all contacts, which must not be added up. Contacts whose changing "
          + "values are always equal are detected as such."),
      QuirkKey(
        "AttrPressure", .measure(\.measure, among: [.area, .shares, .broken]),
        isOfLibinput: false,
        "Meaning of the pressure axis: _area_ of contact, _shares_ of a total, or _broken_."
      ),
      QuirkKey(
        "ModelInheritedRange", .truth(\.hasInheritedRange), isOfLibinput: false,
        "Whether the range of the pressure axis is that of another axis, so that the maximum is that of use."
      ),
      QuirkKey(
        "AttrEffectiveMaximum", .units(\.effectiveMaximum), isOfLibinput: false,
        "The raw value that counts as the maximum, in units of the axis."),
    ]
  }

  /// Replaces what a quirk states by what a later one states; conditions are no statements.
  fileprivate func update(_ quirk: inout Quirk, by later: Quirk) {
    switch value {
    case .bus, .number, .numbers, .pattern, .kind: break
    case .truth(let path), .property(let path, _): quirk.update(path, by: later)
    case .units(let path): quirk.update(path, by: later)
    case .measure(let path, _): quirk.update(path, by: later)
    case .axes(let path, _): quirk[keyPath: path].formUnion(later[keyPath: path])
    }
  }
}

extension DeviceDescription {
  /// The description with all matching quirks applied, in order; later ones override earlier ones.
  package func corrected(by quirks: [Quirk]) -> DeviceDescription {
    var description = self
    let keys = QuirkKey.all
    for quirk in quirks where quirk.matches(self) {
      description.apply(quirk)
      var sum = description.quirk ?? Quirk(title: "")
      sum.title = quirk.title
      for key in keys { key.update(&sum, by: quirk) }
      description.quirk = sum
    }
    return description
  }

  private mutating func apply(_ quirk: Quirk) {
    switch quirk.isPressurePad {
    case true?:
      isPressurePadByQuirk = properties.insert(DeviceDescription.pressurePad).inserted
    case false?: properties.remove(DeviceDescription.pressurePad)
    case nil: break
    }
    let toolType = EventCode.toolType.code
    if quirk.missingAxes.contains(toolType) { axes[toolType] = nil }
    if !isPressurePad { for code in quirk.missingAxes { axes[code] = nil } }
  }
}
