internal import ArgumentParser
internal import PressureDevices
internal import PressureKit
internal import PressureRecordings
internal import PressureSystem
internal import PressureTerminal

struct DoctorCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "doctor",
    abstract: "Report the state of the installation, what is missing, and what to do next.",
    discussion: """
      Requires neither a daemon nor permissions nor devices, and changes nothing. The exit status is 0 \
      if a daemon serves you and reads a device with usable values. It is 78 for errors in the configuration, 77 if \
      the daemon does not serve you, and 69 if none answers or a unit has failed. It is 66 without devices, and 65 \
      if none is usable or if libinput makes a pad useless. \
      --json is for bug reports, and --report writes a file for them with a recording of touches. --sensor \
      measures a device instead; if no daemon runs, it reads the devices itself. --libinput proposes quirks for \
      the desktop from a recording.

      Example: pressured doctor
      """)

  @Flag(help: "Print all findings as one JSON object, for a bug report.")
  var json = false

  @Flag(
    help:
      "Measure the sensor for ten seconds, with a weight or a finger at rest on it: noise, smallest step, rate, drift, saturation."
  ) var sensor = false

  @Option("With --sensor, measure this device; with --report, read this node.", value: "id")
  var device: String?

  @Option(
    "Write a file for a bug report: the report descriptor, the axes and touches of 20 seconds, and nothing that identifies you.",
    value: "file", completion: .newRecording) var report: String?

  @Option(
    "Print quirks for libinput from this recording of touches, as a difference for patch.",
    value: "recording", completion: .recording) var libinput: String?

  @OptionGroup var socketOptions: SocketOptions

  func validate() throws {
    try require(
      sensor || report != nil || device == nil, "--device belongs to --sensor or --report")
    let modes = [sensor, report != nil, libinput != nil].count { $0 }
    try require(modes <= 1, "--sensor, --report and --libinput exclude each other")
    try require(
      report?.hasSuffix(".evemu") != false, "the file name of --report must end in .evemu")
  }

  func run() throws(ExitError) {
    if sensor { return try measureSensor() }
    if let report { return try write(report: report) }
    if let libinput { return try propose(from: libinput) }
    let diagnosis = Diagnosis(socket: socketOptions.path)
    if json {
      StandardOutput.print(text(of: diagnosis))
    } else {
      for line in diagnosis.lines { StandardOutput.print(line) }
    }
    guard diagnosis.status == 0 else { throw ExitError(sentences: [], status: diagnosis.status) }
  }

  private static let reportSeconds = 20.0

  private func write(report path: String) throws(ExitError) {
    let configuration = try ConfigurationOptions.read()
    let nodes = device.map { [$0] } ?? DeviceFolder.nodes()
    guard let (device, surface) = EvdevDevice.touchDevice(nodes, configuration) else {
      throw ExitError(deniedOneOf: nodes)
        ?? ExitError("there is no readable touch device", .noInput)
    }
    guard let writer = RecordingFormat.writer(for: path) else { return }
    let file = try SystemError.orExit(making: path, try RecordedFile(path: path))
    let seconds = DoctorCommand.reportSeconds
    Log.info(
      "touch it for \(Int(seconds)) seconds: lightly, hard, with one finger and with two; "
        + "Ctrl-C ends it")
    let text = header(writer, device, surface)
    let recorder = try SystemError.orExit(
      .cannotCreate, try Recorder(device, writer, file, header: text))
    let summary = try SystemError.orExit(.cannotCreate, try recorder.record(seconds: seconds))
    Log.info("\(path): \(summary); read it before you send it")
  }

  private func propose(from path: String) throws(ExitError) {
    let recording = try Recording(path: RecordingOptions.path(path))
    let proposal = try LibinputProposal(recording, try ConfigurationOptions.read())
    for line in try proposal.lines() { StandardOutput.print(line) }
  }

  private func measureSensor() throws(ExitError) {
    let daemon = try PrivateDaemon.startIfNoneRuns(socketOptions)
    let connection = try socketOptions.connect(to: daemon)
    if !json {
      Log.info("put a weight or a finger on the device, and leave it at rest for ten seconds")
    }
    let finding = try SensorFinding.measure(device, over: connection)
    if json { StandardOutput.print(text(of: finding)) }
    guard finding.frames > 1 else {
      throw ExitError(
        "\(finding.device): nothing touched it; put a weight or a finger on it for ten seconds",
        .timedOut)
    }
    if !json { for line in finding.lines { StandardOutput.print(line) } }
  }

  private func text(of diagnosis: some Encodable) -> String {
    JSONText.text(of: diagnosis, isIndented: true, underscores: true)
  }

  private static let bluetooth: UInt16 = 0x05

  /// The head of a file for a bug report: a recording of touches, with the report descriptor and the verdict as comments.
  ///
  /// It contains nothing that identifies a person: no serial number, no host name, no key, and no name of a Bluetooth device, as
  /// that may be its owner's.
  private func header(
    _ writer: any RecordingWriter, _ device: EvdevDevice, _ surface: Surface
  ) -> String {
    let (machine, verdict) = (Machine.current(), surface.verdict)
    var comments = [
      "pressured \(Version.current), Linux \(machine.kernel), \(machine.processor)",
      "Pressure: \(verdict.measure.rawValue), \(verdict.certainty?.rawValue ?? "no claim"); grams: "
        + verdict.weightSource.rawValue,
    ]
    comments += verdict.reasons.map { "Because \($0)" }
    if let quirk = surface.description.quirk?.title { comments.append("Quirk: \(quirk)") }
    if let bytes = DeviceFolder.descriptor(of: device.node) {
      let text = bytes.map { $0.hexadecimal(2) }
      comments.append("Report descriptor, as of hid-recorder:")
      comments.append("R: \(bytes.count) \(text.joined(separator: " "))")
    }
    var description = device.description.touchOnly
    if description.bus == DoctorCommand.bluetooth { description.name = "Bluetooth device" }
    return writer.header(of: description, at: device.node)
      + comments.map { "# \($0)\n" }.joined()
  }
}
