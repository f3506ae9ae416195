/// What is known of some devices and not said by them, in the words of libinput's quirks.
public struct Quirk: Hashable, Sendable {
  /// For people: which devices these are.
  public var title: String

  // MARK: Which devices; nil matches all

  /// The corresponding kernel field is `input_id.bustype`.
  public var bus: UInt16?

  public var vendor: UInt16?

  /// Any of these.
  public var products: Set<UInt16>?

  public var version: UInt16?

  public var name: Glob?

  /// The corresponding kernel request is `EVIOCGUNIQ`.
  public var uniqueID: Glob?

  /// The machine that the device is built into, as its firmware describes it.
  public var dmiModalias: Glob?

  public var kind: DeviceKind?

  /// udev's kinds of devices, as far as they matter here.
  public enum DeviceKind: Hashable, Sendable {
    case touchpad
    case touchscreen
    /// Something that is not touched, which matches nothing.
    case other
  }

  // MARK: What is known; nil says nothing

  /// Whether it feels force, though it states no units.
  ///
  /// libinput's words are `ModelPressurePad` and `AttrInputProp=+INPUT_PROP_PRESSUREPAD`.
  public var isPressurePad: Bool?

  /// Axes that are there and mean nothing.
  ///
  /// libinput's word is `AttrEventCode=-ABS_MT_PRESSURE`. It says so of pressure pads, too, as it takes pressure
  /// for the size of a contact: those keep their axes.
  public var missingAxes: Set<UInt16> = []

  /// What counts as pressed to the full, in the axis's own units.
  public var effectiveMaximum: Int32?

  public init(title: String) {
    self.title = title
  }

  /// Whether it is of a device.
  public func matches(_ description: DeviceDescription) -> Bool {
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
  /// What the device says, corrected by what is known of it; of several quirks the last one counts.
  public func corrected(by quirks: [Quirk]) -> DeviceDescription {
    var description = self
    for quirk in quirks where quirk.matches(self) { description.apply(quirk) }
    return description
  }

  private mutating func apply(_ quirk: Quirk) {
    quirkTitle = quirk.title
    switch quirk.isPressurePad {
    case true?: properties.insert(DeviceDescription.pressurePad)
    case false?: properties.remove(DeviceDescription.pressurePad)
    case nil: break
    }
    if !isPressurePad { for code in quirk.missingAxes { axes[code] = nil } }
    effectiveMaximum = quirk.effectiveMaximum ?? effectiveMaximum
  }
}
