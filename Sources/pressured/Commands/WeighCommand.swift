internal import ArgumentParser
internal import PressureConnection
internal import PressureKit
internal import PressureLoop
internal import PressureSettings
internal import PressureSystem
internal import PressureTerminal

/// `pressured weigh`: a scale.
struct WeighCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "weigh",
    abstract: "Weigh what lies on a touchpad.",
    discussion: """
      Shows the weight in large digits, and by keys tares, zeroes and holds. Where standard output is no \
      terminal it prints a line for each reading. A number after ≈ is an estimate; one with ± is a \
      measurement, and 95 of 100 are right to that. Where no daemon runs, it reads the devices itself.

      The status is 75 where no stable reading came in time.

      Example: pressured weigh --once --unit oz
      """)

  @Flag(help: "Print one stable reading, and end.")
  var once = false

  @Flag(help: "Print JSON, a line for each reading, in grams.")
  var json = false

  @Option(help: ArgumentHelp("Write stable readings to this file.", valueName: "file"))
  var log: String?

  @Flag(help: "Write over the file of --log where there is one.")
  var force = false

  @Option(
    help: ArgumentHelp("Weigh in g, kg, oz, lb or N.", valueName: "unit"),
    transform: WeighCommand.unit)
  var unit = MassUnit.grams

  @Option(help: ArgumentHelp("Weigh on this device.", valueName: "id"))
  var device: String?

  @Option(
    help: ArgumentHelp("Wait so long for a stable reading, and end without.", valueName: "seconds"))
  var timeout: Double?

  @Option(help: ArgumentHelp("Show how far this weight is reached.", valueName: "weight"))
  var target: String?

  @Option(help: ArgumentHelp("Take so much more or less for reached.", valueName: "weight"))
  var tolerance: String?

  @Flag(help: "Let the device's touches reach nobody else, so that nothing clicks.")
  var grab = false

  @OptionGroup var socketOptions: SocketOptions
  @OptionGroup var configurationOptions: ConfigurationOptions

  /// Seconds that anybody waits at most: an hour.
  private static let longest = 3600.0

  /// What is taken for reached where nobody says, in grams.
  private static let standardTolerance = 1.0

  private static func unit(_ name: String) throws -> MassUnit {
    guard let unit = MassUnit(rawValue: name) else {
      throw ValidationError("\(name) is no unit; there are g, kg, oz, lb and N")
    }
    return unit
  }

  func validate() throws {
    if json, unit != .grams { throw ValidationError("--json speaks grams; leave --unit out") }
    guard log != nil || !force else { throw ValidationError("--force belongs to --log") }
    if let timeout, !(timeout > 0 && timeout <= WeighCommand.longest) {
      throw ValidationError("--timeout must be above 0 and at most 3600 seconds, not \(timeout)")
    }
    guard target != nil || tolerance == nil else {
      throw ValidationError("--tolerance belongs to --target")
    }
    for text in [target, tolerance].compactMap(\.self) where MassUnit.grams(of: text) == nil {
      throw ValidationError("\(text) is no weight; say it as 100, 0.1kg or 3.5oz")
    }
  }

  func run() throws {
    try ending { () throws(ExitError) in
      let file = try log.map { (path) throws(ExitError) in
        try ReadingLog(path, in: unit, replaces: force)
      }
      let companion = try PrivateDaemon.whereNoneRuns(socketOptions, configurationOptions)
      let path = companion?.path ?? socketOptions.path(configurationOptions)
      if once {
        let connection: Connection
        do throws(ConnectionError) {
          let patience = min(timeout ?? Connection.defaultTimeout, Connection.defaultTimeout)
          connection = try Connection.open(
            at: SocketPath.forClients(named: path), before: Deadline(seconds: patience))
        } catch {
          throw ExitError(error)
        }
        return try WeighOnce(order: order, log: file).run(over: connection)
      }
      try weigh(path, companion, file)
    }
  }

  private var order: WeighOptions {
    var order = WeighOptions(
      device: device, unit: unit, isJSON: json, grabs: grab, timeout: timeout)
    order.target = target.flatMap { MassUnit.grams(of: $0) }.map { grams in
      (grams, tolerance.flatMap { MassUnit.grams(of: $0) } ?? WeighCommand.standardTolerance)
    }
    return order
  }

  private func weigh(
    _ path: String?, _ companion: PrivateDaemon?, _ file: ReadingLog?
  ) throws(ExitError) {
    let failure: ExitError?
    do throws(SystemError) {
      let loop = try EventLoop()
      let weigh = try Weigh(
        loop: loop, order: order, log: file, socket: path, companion: companion,
        draws: Terminal.isThere && !json && timeout == nil)
      _ = try loop.run()
      failure = weigh.failure
    } catch {
      throw ExitError(error.sentence, .internalError)
    }
    // By now the terminal is as it was, and has room for words.
    if let failure { throw failure }
  }
}
