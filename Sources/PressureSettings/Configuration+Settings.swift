internal import Glibc
package import PressureKit
internal import PressureProtocol

// The table of all settings. Those with a number, a switch, a word or names are declared beside their property, as `plainSettings`;
// defaults are those of the properties.

extension Configuration {
  /// All settings, in the order of the manual page.
  ///
  /// Later ones may refer to earlier ones: actions to stages and regions.
  package static var settingGroups: [SettingGroup] {
    [
      SettingGroup("socket", "The socket.", socketSettings),
      SettingGroup(
        "access", "Users that receive events, besides root and the user that the daemon runs as.",
        accessSettings),
      SettingGroup(
        "use",
        "Users and groups that can send the requests \(RequestDefinition.namesNeedingUse).",
        plain(UseConfiguration.plainSettings, in: \.use)),
      SettingGroup(
        "control",
        "Users and groups that can calibrate, grab devices, add actions and reload, besides root and the daemon's user.",
        plain(ControlConfiguration.plainSettings, in: \.control)),
      SettingGroup(nil, "", plain(Configuration.plainSettings, in: \.self) + [quirksFileSetting]),
      SettingGroup("press", "Force gestures.", pressSettings),
      SettingGroup(nil, "", listSettings),
      SettingGroup("haptics", "Haptic pulses.", hapticsSettings),
      SettingGroup(
        "scale", "Each device is a scale.", plain(ScaleConfiguration.plainSettings, in: \.scale)),
    ]
  }

  /// Keys of earlier versions, and what to do instead, to follow "was removed: ".
  package static let removedSettings: [String: String] = {
    let rule = "the rule always applies; press.rules: none disables all rules"
    var settings = [
      "press.move_tolerance_mm": "it is always 3 mm",
      "socket.group": "the socket has the group of access.group",
      "socket.max_clients_per_user": "it is always a quarter of socket.max_clients",
      "scale.hold_ms": "a hold always ends after 10 minutes",
      "use.burst": "it is always four times use.requests_per_second",
      "heaviest": "the margin is always 3 % and at least 2 g",
      "max_force": "a contact is always released below 0.95 of the maximum",
      "haptics.pulses_per_second": "it is always 10",
    ]
    let rules = [
      "peak_release", "peak_limit_grams", "repress", "repress_ms", "drag_mm_per_s", "quiet_ms",
      "settle_ms", "ignore_thumbs",
    ]
    for name in rules { settings["press.\(name)"] = rule }
    return settings
  }()

  package mutating func read(_ reader: inout MappingDecoder) {
    reader.refuseRemoved(in: nil)
    for group in Configuration.settingGroups {
      group.read(&reader) { reader in
        if let name = group.name { reader.refuseRemoved(in: name) }
        for setting in group.settings { setting.decode(&reader, &self) }
      }
    }
  }

  private static func plain<Part>(
    _ settings: [PlainSetting<Part>], in part: WritableKeyPath<Configuration, Part>
  ) -> [Setting] {
    settings.map { Setting($0, in: part) }
  }

  private static var socketSettings: [Setting] {
    [
      Setting(
        "path", \.socket.path, .optional(.socketPath), effect: .restart,
        defaultNote: "the default paths",
        "The path to listen on. A relative path starts at the folder of the file. --socket and $PRESSURED_SOCKET override it. "
          + "systemd creates the socket of the service, which ignores this key and the next one."),
      Setting(
        "mode", \.socket.mode, .optional(.octal(ConfigurationLimits.socketMode)), effect: .restart,
        defaultNote:
          "0666 if root runs the daemon and systemd-logind runs, so that access decides; otherwise 0660",
        "Permissions of the socket. With a given mode only they decide which users can connect."),
    ] + plain(SocketConfiguration.plainSettings, in: \.socket)
  }

  private static var accessSettings: [Setting] {
    plain(AccessConfiguration.plainSettings, in: \.access) + [
      Setting(
        "group", \.access.group, .optional(.text), effect: .atOnce,
        "The group whose members always receive all events. A socket that only a group can connect to has this group."
      ) { reader, group in
        if let group, group != AccessConfiguration().group, getgrnam(group) == nil {
          reader.warn("there is no group \(group.quoted)", at: "group")
        }
      }
    ]
  }

  private static var quirksFileSetting: Setting {
    Setting(
      "quirks_file", \.quirksFile, .optional(.text), effect: .untouched,
      "A file with additional quirks; see QUIRKS. A relative path starts at the folder of the file."
    )
  }

  private static var listSettings: [Setting] {
    [
      Setting(
        "regions", \.regions, values: "a list of mappings",
        members: [
          "name": "Name of the region. Required.",
          "device": "Device identifier, with the wildcards \\* and ?. [\"\\*\"]",
          "x, y, width, height":
            "Fractions of the surface, 0 to 1, from its upper left corner. *width* and *height* must be greater than 0. Required.",
        ],
        example: ["- { name: left, device: \"*\", x: 0, y: 0, width: 0.5, height: 1 }"],
        "Named parts of surfaces. The first region that contains the start of a press is its target."
      ) { reader, root in
        root.regions = reader.entries("regions", body: Region.read) ?? root.regions
      },
      Setting(
        "devices", \.devices, values: "a list of mappings", effect: .untouched,
        members: [
          "match":
            "The device identifier as in the *device* field of the protocol, with the wildcards \\* and ?, as in \"0018-06cb-\\*\". "
            + "Required. A second device with the same identifier has the suffix #2, and separate settings.",
          "ignore": "true or false: do not open the device. [false]",
          "effective_maximum":
            "The raw value that counts as the maximum, in units of the axis, 1 or more. [the value of the quirk, else the maximum of "
            + "the axis; on pads that report grams at most 500 g]",
          "nominal_full_scale_grams": "Overrides the general key for this device.",
          "press":
            "Overrides keys of *press* for this device. If several matching entries contain *press*, the last one applies.",
        ],
        example: ["- { match: \"0018-06cb-*\", ignore: false, press: { hold_ms: 500 } }"],
        "Settings of individual devices. If several entries match a device, the last one that contains a key applies."
      ) { reader, root in
        let (general, own) = (root, Configuration.pressSettings)
        root.devices = reader.entries("devices") { .read(&$0, own, over: general) } ?? root.devices
      },
      Setting(
        "actions", \.actions, values: "a list of mappings",
        members: [
          "type": "Unique name of the action, such as _local.screenshot_. Required.",
          "title": "Text to display. Required.",
          "subtitle, icon, icon_file":
            "More to display: a text, the name of an icon, the path of an icon. [null]",
          "user_info":
            "A mapping of strings that is passed on unchanged. An action has at most 16 KiB in JSON. [empty]",
          "on":
            "The press that performs the action, as a mapping. *press* is the name of a stage, required. *fingers* is *any* or 1 to "
            + "10 [1]. *region* is the name of a region [null]. *device* is a device identifier with wildcards [\"\\*\"]. [none]",
        ],
        example: ["- { type: local.tare, title: Tare, on: { press: deep, fingers: 2 } }"],
        "Actions that a request performs by name, or a press. The daemon runs no commands: it publishes an action event, and "
          + "pressured bind or another client runs the command."
      ) { reader, root in
        root.readActions(&reader)
      },
    ]
  }

  private static var hapticsSettings: [Setting] {
    plain(HapticsConfiguration.plainSettings, in: \.haptics) + [
      Setting(
        "stages", \.haptics.stages, values: "a list of names of stages",
        "Stages that also play a pulse when a press reaches them. If several are reached at the same time, one pulse is played."
      ) { reader, root in
        let stages = reader.list("stages", of: reader.name(of: "stage", among: root.stageNames))
        root.haptics.stages = stages ?? root.haptics.stages
      }
    ]
  }

  static var pressSettings: [Setting] {
    [
      Setting(
        "feel", \.press.feel, .optional(.word),
        "The sensitivity: how hard a press must be for the stage deep, relative to the clicks of the hand. With fixed the stages are "
          + "fixed parts of the maximum, 0.3 and 0.7, or 200 and 400 g. It sets both lists of stages."
      ),
      Setting(
        "stages", \.press.stages, values: "a list of mappings, in ascending order",
        members: [
          "name": "Name of the stage. Required.",
          "press, release":
            "The stage begins at *press* and ends below *release*, which must be lower. Required. *unit* sets the limits.",
          "unit":
            "*ratio*: fraction of the effective maximum, 0 to 1. *force*: 0 to 1000, where 1 is an average touch. *grams*: 0 to "
            + "100000. *click*: multiples of the force at which the pad clicks, 0 to 20. [ratio]",
          "above_click":
            "In place of *press* and *unit*: a multiple of the force at which the pad clicks. *release* is then optional and a "
            + "multiple as well. [0.8 of this value]",
        ],
        "The stages of a press."
      ) { reader, root in
        let isRead = root.press.stages.read("stages", in: PressStage.Unit.allCases, &reader)
        // Stages relative to the click apply to all devices unless the file has others for grams.
        if isRead, root.press.stages.stages.first?.unit == .click, !reader.has("gram_stages") {
          root.press.gramStages = StageLadder()
        }
      },
      Setting(
        "gram_stages", \.press.gramStages, values: "a list of mappings, in ascending order",
        "The same in grams only. Devices that declare units per gram use this list unless it is empty; a calibration alone does not change the stages."
      ) { reader, root in
        root.press.gramStages.read("gram_stages", in: [.grams], &reader)
      },
      Setting(
        "curve", \.press.curve,
        values: "a list of at most \(ConfigurationLimits.curvePoints) mappings",
        members: [
          "ratio":
            "The measured fraction of the effective maximum, greater than that of the previous point and less than 1. Required.",
          "output": "The ratio used instead, from that of the previous point to 1. Required.",
        ],
        example: ["- { ratio: 0.5, output: 0.3 }"],
        "A response curve that maps the measured ratio to the ratio used for stages: points connected by straight lines from "
          + "(0, 0) to (1, 1)."
      ) { reader, root in
        root.press.curve.read("curve", &reader)
      },
      Setting(
        "fingers", \.press.fingers, .fingers,
        "The number of fingers on the surface during a press. With fewer fingers the press does not begin; more fingers, or a "
          + "change during the press, make it fail."),
    ] + plain(PressConfiguration.plainSettings, in: \.press)
  }
}
