internal import ArgumentParser
internal import PressureClient
internal import PressureSystem
internal import PressureTerminal

struct WeighCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "weigh",
    abstract: "Weigh what lies on a touchpad.",
    discussion: """
      Shows the weight in large digits; keys tare, zero and hold the scale. If standard output is not a \
      terminal, it prints a line for each reading. A number after ≈ is an estimate; ± gives the range \
      that contains 95 of 100 measurements. If no daemon runs, it reads the devices itself.

      The exit status is 75 if there is no stable reading in time.

      Example: pressured weigh --once --unit oz
      """)

  @Flag(help: "Print one stable reading, and exit.")
  var once = false

  @Flag(help: "Print each reading as a line of JSON, in grams.")
  var json = false

  @Option("Write stable readings to this file.", value: "file")
  var log: String?

  @Option(
    help: .init("Weigh in g, kg, oz, lb or N.", valueName: "unit"), transform: WeighCommand.unit)
  var unit = MassUnit.grams

  @Option("Weigh on this device.", value: "id")
  var device: String?

  @Option("Exit if there is no stable reading in this time.", value: "seconds")
  var timeout: Double?

  @Option("Show the difference from this weight.", value: "weight")
  var target: String?

  @Option("Accept this difference from the target; 1 g by default.", value: "weight")
  var tolerance: String?

  @Flag(help: "Grab the device, so that its touches do not move the pointer or click.")
  var grab = false

  @OptionGroup var socketOptions: SocketOptions

  /// The default of `--tolerance`, in grams.
  private static let defaultTolerance = 1.0

  private static func unit(_ name: String) throws -> MassUnit {
    guard let unit = MassUnit(rawValue: name) else {
      throw ValidationError("unknown unit \(name); there are g, kg, oz, lb and N")
    }
    return unit
  }

  func validate() throws {
    if json, unit != .grams { throw ValidationError("--json prints grams; it excludes --unit") }
    try require("--timeout", timeout, in: 0.001...3600)
    try require(target != nil || tolerance == nil, "--tolerance belongs to --target")
    for text in [target, tolerance].compactMap(\.self) { try requireWeight(text) }
  }

  func run() throws(ExitError) {
    let file = try log.map { (path) throws(ExitError) in try ReadingLog(path, in: unit) }
    let daemon = try PrivateDaemon.startIfNoneRuns(socketOptions)
    guard once else {
      let feed = try DaemonFeed(socket: socketOptions.path, privateDaemon: daemon)
      let draws = Terminal.isInteractive && !json && timeout == nil
      return try feed.run { (feed) throws(SystemError) in
        try Weigh(feed, options: options, log: file, draws: draws)
      }
    }
    let limit = min(timeout ?? Connection.defaultTimeout, Connection.defaultTimeout)
    let connection = try socketOptions.connect(to: daemon, within: limit)
    try options.weighOnce(over: connection, log: file)
  }

  private var options: WeighOptions {
    var options = WeighOptions()
    (options.device, options.unit, options.timeout) = (device, unit, timeout)
    (options.isJSON, options.grabs) = (json, grab)
    options.target = target.flatMap { try? MassUnit.grams(of: $0) }.map { grams in
      (grams, tolerance.flatMap { try? MassUnit.grams(of: $0) } ?? WeighCommand.defaultTolerance)
    }
    return options
  }
}

struct CalibrateCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "calibrate",
    abstract: "Calibrate a device in grams with known weights.",
    discussion: """
      Asks for one known weight after another, and reports the accuracy of the result. Unless the last \
      answer confirms it, the previous calibration stays in effect. Requires a daemon that grants you \
      control. Checks with known weights show how far to trust it, and make its error smaller.

      The answers can also come from a pipe, one per line: an empty line when the pad is empty, each \
      weight when it is in place, then done, then yes.

      Example: pressured calibrate
      """)

  @Option("Calibrate this device.", value: "id")
  var device: String?

  @Option(
    "Compare the calibration with this weight on the device; undo removes the last check.",
    value: "weight")
  var check: String?

  @Option("State the tolerance of the weights, 0 to 100; 2 by default.", value: "percent")
  var weightsPercent: Double?

  @OptionGroup var socketOptions: SocketOptions

  func validate() throws {
    try require("--weights-percent", weightsPercent, in: 0...100)
    if let check, check != "undo" { try requireWeight(check, isPositive: true) }
  }

  func run() throws(ExitError) {
    let dialog = CalibrationDialog(
      device: device, weightsPercent: weightsPercent, over: try socketOptions.connect())
    guard let check else { return try dialog.run() }
    // The word undo is no weight, and takes the last check back.
    try dialog.check(try? MassUnit.grams(of: check))
  }
}

extension ParsableArguments {
  fileprivate func requireWeight(_ text: String, isPositive: Bool = false) throws(ValidationError) {
    do throws(MassUnit.TextError) {
      let grams = try MassUnit.grams(of: text)
      guard grams > 0 || !isPositive else { throw .invalid }
    } catch {
      throw ValidationError(error.sentence(text, "100, 0.1kg or 3.5oz"))
    }
  }
}
