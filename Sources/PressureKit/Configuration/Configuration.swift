/// Every setting, at its default until a file says otherwise.
public struct Configuration: Hashable, Sendable {
  public var socket = SocketConfiguration()
  public var use = UseConfiguration()
  public var control = ControlConfiguration()

  /// Whether devices are read although no client is connected and nothing configured needs them.
  public var alwaysRead = false

  public var heaviest = HeaviestConfiguration()
  public var maximumForce = MaximumForceConfiguration()

  /// What a device without units of its own is taken to carry at the top of its range.
  ///
  /// Grams.
  public var nominalFullScaleGrams = 385.0

  public var press = PressConfiguration()

  /// Named parts of surfaces, the first that contains a point being its target.
  public var regions: [Region] = []

  /// Quick actions, each with a type of its own.
  public var actions: [Action] = []

  public var haptics = HapticsConfiguration()
  public var scale = ScaleConfiguration()

  /// What differs for some devices; of several that match, the last one to state a field counts.
  public var devices: [DeviceConfiguration] = []

  /// A file of quirks beside those that come with the program.
  public var quirksFile: String?

  /// What that file says.
  public var quirks: [Quirk] = []

  public init() {}
}

extension Configuration {
  /// Whether devices are read although no client is connected.
  public var needsDevices: Bool {
    alwaysRead || haptics.enabled || actions.contains { $0.trigger != nil }
  }

  /// The names of all stages that a press may reach on some device, in order, each once.
  public var stageNames: [String] {
    let presses = [press] + devices.compactMap(\.press)
    let names = presses.flatMap { $0.stages.stages + $0.gramStages.stages }.map(\.name)
    var seen: Set<String> = []
    return names.filter { seen.insert($0).inserted }
  }
}
