internal import PressureClient
internal import PressureDesktop
internal import PressureKit
internal import PressureLoop
internal import PressureProtocol
internal import PressureSettings
internal import PressureSystem

// What the options mean for the pad.

extension PenCommand {
  /// The width of a pad that does not state its size, in millimeters.
  private static let nominalWidth = 100.0
  private static let nominalHeight = 60.0

  /// The default of `--idle`, in minutes.
  static let defaultIdle = 5.0

  /// The sizes that a pad may have, in millimeters: from a track point's to a table's.
  private static let plausibleSize = 5.0...2000.0

  func options(
    _ device: ReceivedDevice, isRecording: Bool
  ) throws(ExitError) -> PenSession.Options {
    let measuresArea = device.capability == .size
    if measuresArea {
      Log.info(
        "\(device.device) measures the area of the finger, not its force: press with more of the finger for more pressure"
      )
    }
    guard !button || device.isPerContact else {
      throw ExitError(
        "\(device.device) has one force for all fingers, so a second finger cannot press the button of --button",
        .badData)
    }
    let force = PenForce(
      measuresArea: measuresArea, tip: tip, full: full, curve: PenCurve(curve) ?? .linear)
    let chord = device.slots >= 3 ? min(device.slots, 5) : nil
    let size =
      statedPad(device)
      ?? PenArea(x: 0, y: 0, width: PenCommand.nominalWidth, height: PenCommand.nominalHeight)
    guard force.tip < force.full else {
      throw ExitError(
        "the pressure begins at --tip \(force.tip.shortDescription), which must be below --full \(force.full.shortDescription)",
        .usage)
    }
    return PenSession.Options(
      device: device.device, seat: isRecording ? nil : DeviceSeat.name(of: device.node),
      stroke: PenStroke.Settings(force: force, hasButton: button, chord: chord),
      mapping: try mapping(size, device), size: PenPoint(x: size.width, y: size.height),
      grab: isRecording ? .none : test ? .wanted : .required,
      idleTime: isRecording ? nil : Int64((idle ?? PenCommand.defaultIdle) * 60_000_000))
  }

  /// The pad as it states its size, if that is one; what a device states may be anything.
  private func statedPad(_ device: ReceivedDevice) -> PenArea? {
    let size = device.sizeMillimeters ?? []
    guard size.count == 2, size.allSatisfy(PenCommand.plausibleSize.contains) else { return nil }
    return PenArea(x: 0, y: 0, width: size[0], height: size[1])
  }

  private func mapping(
    _ pad: PenArea, _ device: ReceivedDevice
  ) throws(ExitError) -> PenMapping {
    let statesSize = statedPad(device) != nil
    let isSmall = !statesSize || !PenMapping.isLargeEnough(pad)
    let isRelative = relative || isSmall && area == nil
    guard isRelative || speed == nil else {
      throw ExitError(
        "\(device.device) is used with absolute positions, but --speed needs --relative", .usage)
    }
    if isRelative, !relative {
      let size =
        statesSize
        ? "measures \(pad.width.shortDescription) x \(pad.height.shortDescription) mm"
        : "does not state its size"
      Log.info("\(device.device) \(size), so the pen moves from where it was; see --relative")
    }
    var used = pad
    if let area, let argument = PenAreaArgument(area) {
      guard statesSize else {
        throw ExitError("\(device.device) does not state its size, so --area has no unit", .badData)
      }
      guard let chosen = argument.area(on: pad) else {
        throw ExitError(
          "the area \(area) does not fit on \(device.device), which measures "
            + "\(pad.width.shortDescription) x \(pad.height.shortDescription) mm", .usage)
      }
      used = chosen
    }
    let rotation = PenRotation(rawValue: rotate) ?? .none
    return PenMapping(
      area: used, aspect: screenAspect(), rotation: rotation,
      mode: isRelative ? .relative(speed: speed ?? 1) : .absolute)
  }

  /// The aspect ratio of `--aspect`, or else that of the screen in use; nil if the whole area is used.
  private func screenAspect() -> Double? {
    if let aspect { return aspect == "none" ? nil : ScreenShape.aspect(aspect) }
    guard let screen = ScreenShape.inUse() else {
      Log.info("the kernel lists no screen, so the whole area is used; see --aspect")
      return nil
    }
    Log.info(
      "the drawing has the shape of the screen \(screen.connector), \(screen.mode); see --aspect")
    return screen.aspect
  }
}

// MARK: - The pad

extension PenCommand {
  /// The pad that was named, or the only one that measures pressure.
  func pad(_ connection: Connection) throws(ExitError) -> ReceivedDevice {
    let deadline = Deadline(seconds: Connection.defaultTimeout)
    let (reply, line) = try ConnectionError.orExit(
      try connection.ask(Request("devices"), before: deadline))
    guard reply.isSuccess else { throw ExitError(ConnectionError.refused(reply.error)) }
    let result = try? LineDecoder.decode(ReceivedResult<[ReceivedDevice]>.self, from: line)
    let devices = result?.result ?? []
    if let device {
      guard let named = devices.first(where: { $0.device == device }) else {
        throw ExitError(
          "there is no device \(device.quoted); \(PenCommand.list(devices))", .noInput)
      }
      guard named.measuresPressure else {
        throw ExitError("\(named.text) does not measure pressure", .badData)
      }
      return named
    }
    let pads = devices.filter(\.measuresPressure)
    guard let pad = pads.first else {
      throw ExitError("no device measures pressure; \(PenCommand.list(devices))", .noInput)
    }
    guard pads.count == 1 else {
      throw ExitError(
        "there are several pads; choose one with --device: \(PenCommand.list(pads))", .usage)
    }
    return pad
  }

  private static func list(_ devices: [ReceivedDevice]) -> String {
    devices.isEmpty
      ? "the daemon reads no device" : devices.map(\.text).joined(separator: ", ")
  }
}

extension ReceivedDevice {
  fileprivate var measuresPressure: Bool { capability == .force || capability == .size }

  fileprivate var text: String { "\(device) (\(name))" }
}
