package import PressureKit

/// The quirks that come with the program: in it, as one static file is all that some install.
package enum ShippedQuirks {
  /// What to call them in error messages.
  package static let name = "the quirks that come with pressured"

  /// Read once; a test holds the text to being right.
  package static let quirks: [Quirk] =
    (try? QuirksFile.read(text: Array(text.utf8), name: name)) ?? []

  /// Those that libinput lists as pressure pads, and Apple's, which measure force in units of their own.
  ///
  /// libinput 1.30's quirks are the source of all but Apple's two; none of these states units. The last one is
  /// of an axis that stands still with two fingers down: https://gitlab.freedesktop.org/libinput/libinput/issues/145
  package static let text = """
    quirks:
      - { title: Synaptics pressure pads, MatchVendor: 0x06CB, MatchProduct: 0xCE37;0xCFD2;0xCFA0;0xCFF8;0xCFF9;0xD01A;0xD01D, ModelPressurePad: 1 }
      - { title: Goodix pressure pads, MatchVendor: 0x27C6, MatchProduct: 0x01E0;0x01E8;0x01E9;0x0F60;0x0F61;0x0F62;0x0F95, ModelPressurePad: 1 }
      - { title: ALPS pressure pads, MatchVendor: 0x0488, MatchProduct: 0x108C;0x108D, ModelPressurePad: 1 }
      - { title: Sensel pressure pads, MatchVendor: 0x2C2F, MatchProduct: 0x0033;0x0034, ModelPressurePad: 1 }
      - { title: PixArt pressure pads, MatchVendor: 0x093A, MatchProduct: 0x4811;0x4F02, AttrInputProp: +INPUT_PROP_PRESSUREPAD }
      - { title: Honor MagicBook Art 14, MatchName: "*TOPS0102*", ModelPressurePad: 1 }
      - { title: Apple Magic Trackpad by cable, MatchBus: usb, MatchVendor: 0x05AC, MatchProduct: 0x0265;0x0324, ModelPressurePad: 1 }
      - { title: Apple Magic Trackpad by Bluetooth, MatchBus: bluetooth, MatchVendor: 0x004C, MatchProduct: 0x0265;0x0324, ModelPressurePad: 1 }
      - { title: Asus UX302LA, MatchName: "*ETPS/2 Elantech Touchpad*", MatchDMIModalias: "dmi:*svnASUSTeKCOMPUTERINC.:pnUX302LA:*", AttrEventCode: -ABS_MT_PRESSURE;-ABS_PRESSURE }
    """
}
