package import PressureKit

/// The quirks that ship with the program, compiled in because some install only a static binary.
///
/// Written by `scripts/pads` from `quirks/pads.yaml`, which has their sources.
package enum ShippedQuirks {
  /// Identifies them in messages.
  package static let name = "the quirks that come with pressured"

  /// Decoded once; a test verifies the text.
  package static let quirks: [Quirk] =
    (try? QuirksFile.read(text: Array(text.utf8), name: name)) ?? []

  /// In the notation of the manual.
  package static let text = """
    quirks:
      - { title: Surface Laptop Studio, MatchVendor: 0x045E, MatchProduct: 0x09AF, ModelPressurePad: 1, ModelTotalPressure: 1 }
      - { title: Apple Magic Trackpad by cable, MatchBus: usb, MatchVendor: 0x05AC, MatchProduct: 0x0265;0x0324, ModelPressurePad: 1, AttrClickPressure: 69, AttrPressure: shares }
      - { title: Apple Magic Trackpad by Bluetooth, MatchBus: bluetooth, MatchVendor: 0x004C, MatchProduct: 0x0265;0x0324, ModelPressurePad: 1, AttrClickPressure: 69, AttrPressure: shares }
      - { title: Goodix pressure pads, MatchVendor: 0x27C6, MatchProduct: 0x01E7;0x01E8;0x01E9;0x01EA;0x01EB;0x0F60;0x0F61;0x0F62;0x0F90;0x0F95;0x0F96, ModelPressurePad: 1 }
      - { title: Huawei MateBook X Pro 2024, MatchVendor: 0x27C6, MatchProduct: 0x01E0, MatchDMIModalias: "dmi:*:svnHUAWEI:pnVGHH-XX:*", ModelPressurePad: 1 }
      - { title: PixArt pressure pads, MatchVendor: 0x093A, MatchProduct: 0x4811;0x4F02;0x4F05, AttrInputProp: +INPUT_PROP_PRESSUREPAD }
      - { title: PixArt of the ExpertBook Ultra, MatchVendor: 0x093A, MatchProduct: 0x4F05, ModelInheritedRange: 1 }
      - { title: Synaptics pressure pads, MatchVendor: 0x06CB, MatchProduct: 0xCE37;0xCFD2;0xCFA0;0xCFF8;0xCFF9;0xD01A;0xD01D, ModelPressurePad: 1 }
      - { title: ALPS pressure pads, MatchVendor: 0x0488, MatchProduct: 0x108C;0x108D, ModelPressurePad: 1 }
      - { title: Sensel pressure pads, MatchVendor: 0x2C2F, MatchProduct: 0x0033;0x0034, ModelPressurePad: 1 }
      - { title: Elan Hapticpad, MatchVendor: 0x04F3, MatchProduct: 0x3355, ModelPressurePad: 1 }
      - { title: Honor MagicBook Art 14, MatchName: "*TOPS0102*", MatchDMIModalias: "dmi:*:svnHONOR:pnMRA-XXX:*", ModelPressurePad: 1 }
      - { title: "Synaptics, ALPS and Elantech by PS/2", MatchBus: ps2, MatchVendor: 0x0002, MatchProduct: 0x0007;0x0008;0x000E, AttrPressure: area }
      - { title: Synaptics by SMBus, MatchBus: rmi, MatchVendor: 0x06CB, AttrPressure: area }
      - { title: Apple bcm5974, MatchBus: usb, MatchVendor: 0x05AC, MatchName: bcm5974, AttrPressure: area }
      - { title: Logitech T650, MatchVendor: 0x046D, MatchProduct: 0x4101, AttrPressure: area }
      - { title: Asus UX302LA, MatchName: "*ETPS/2 Elantech Touchpad*", MatchDMIModalias: "dmi:*svnASUSTeKCOMPUTERINC.:pnUX302LA:*", AttrEventCode: -ABS_MT_PRESSURE;-ABS_PRESSURE }
      - { title: Huion touchscreens, MatchVendor: 0x256C, MatchProduct: 0x006B;0x006D, AttrPressure: broken }
      - { title: Goodix touchscreens, MatchVendor: 0x27C6, MatchProduct: 0x0E0D;0x0E51, AttrPressure: broken }
      - { title: IDEACOM touchscreens, MatchVendor: 0x1CB6, MatchProduct: 0x6650;0x6651, AttrPressure: broken }
      - { title: ThinkPad X1 Carbon 6th, MatchName: "Synaptics TM3288-011", MatchDMIModalias: "dmi:*:svnLENOVO:*:pvrThinkPadX1Carbon6th:*", AttrEventCode: -ABS_MT_TOOL_TYPE }
      - { title: Lenovo Yoga Slim 7i Carbon, MatchName: "* Touchpad", MatchDMIModalias: "dmi:*:svnLENOVO:*:pvrYogaSlim7Carbon13IAP7:*", AttrEventCode: -ABS_MT_TOOL_TYPE }
    """
}
