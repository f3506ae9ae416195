/// A correction of what some devices report, with the keys of libinput's quirks.
package struct Quirk: Hashable, Sendable {
  /// The devices meant, for users.
  package var title: String

  // MARK: Matches; nil matches all devices

  /// The corresponding kernel field is `input_id.bustype`.
  package var bus: UInt16?

  /// The vendor ID.
  package var vendor: UInt16?

  /// Matches any of these.
  package var products: Set<UInt16>?

  /// The version of the product.
  package var version: UInt16?

  /// The name given by the driver.
  package var name: Glob?

  /// The corresponding kernel request is `EVIOCGUNIQ`.
  package var uniqueID: Glob?

  /// The DMI modalias of the machine.
  package var dmiModalias: Glob?

  /// The udev device type.
  package var kind: DeviceKind?

  /// The udev device types that are supported here.
  package enum DeviceKind: Hashable, Sendable {
    case touchpad
    case touchscreen
    /// Not a touch device; matches nothing.
    case other
  }

  // MARK: Corrections; nil changes nothing

  /// Whether the device measures force although it states no units.
  ///
  /// The keys in libinput are `ModelPressurePad` and `AttrInputProp=+INPUT_PROP_PRESSUREPAD`.
  package var isPressurePad: Bool?

  /// Axes that the device declares but whose values are meaningless.
  ///
  /// The key in libinput is `AttrEventCode=-ABS_MT_PRESSURE`. libinput sets it for pressure pads too, as it uses pressure
  /// as a contact size; those keep their axes. Without ABS_MT_TOOL_TYPE no contact is a palm, for pads that report bogus palms.
  package var missingAxes: Set<UInt16> = []

  /// The effective maximum in units of the pressure axis.
  package var effectiveMaximum: Int32?

  /// The force at which the pad clicks, in units of the pressure axis.
  package var clickPressure: Int32?

  /// Whether the pressure of each contact is the total of all contacts.
  package var contactsCarryTotal: Bool?

  /// What is known of the values of the pressure axis: area, shares or broken.
  package var measure: Verdict.Measure?

  /// Whether the range of the pressure axis is that of another axis.
  package var hasInheritedRange: Bool?

  /// Creates a quirk that matches all devices and changes nothing.
  package init(title: String) {
    self.title = title
  }

  /// Whether the quirk applies to a device.
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
}

extension DeviceDescription {
  /// The description with all matching quirks applied, in order; later ones override earlier ones.
  package func corrected(by quirks: [Quirk]) -> DeviceDescription {
    var description = self
    for quirk in quirks where quirk.matches(self) { description.apply(quirk) }
    return description
  }

  private mutating func apply(_ quirk: Quirk) {
    quirkTitle = quirk.title
    switch quirk.isPressurePad {
    case true?:
      isPressurePadByQuirk = properties.insert(DeviceDescription.pressurePad).inserted
    case false?: properties.remove(DeviceDescription.pressurePad)
    case nil: break
    }
    let toolType = EventCode.toolType.code
    if quirk.missingAxes.contains(toolType) {
      axes[toolType] = nil
      ignoresToolType = true
    }
    if !isPressurePad { for code in quirk.missingAxes { axes[code] = nil } }
    contactsCarryTotal = quirk.contactsCarryTotal ?? contactsCarryTotal
    effectiveMaximum = quirk.effectiveMaximum ?? effectiveMaximum
    clickPressure = quirk.clickPressure ?? clickPressure
    knownMeasure = quirk.measure ?? knownMeasure
    hasInheritedRange = quirk.hasInheritedRange ?? hasInheritedRange
  }
}
