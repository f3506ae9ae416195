internal import ArgumentParser
internal import PressureDevices
internal import PressureKit
internal import PressureRecordings

/// What a shell offers for an argument.
extension CompletionKind {
  /// A recording that is there, by the endings that are usual; what a file is, its content says.
  static var recording: CompletionKind {
    .file(extensions: RecordingFormat.endings + ["desc", "evtest", "txt", "bin"])
  }

  /// A recording to be made.
  static var newRecording: CompletionKind { .file(extensions: RecordingFormat.endings) }

  /// A file of settings.
  static var settings: CompletionKind { .file(extensions: ["yaml", "yml"]) }

  /// The node of a device that feels pressure.
  static var pad: CompletionKind {
    .custom { _, _, _ in
      let configuration = configured
      return DeviceFolder.nodes().filter { EvdevDevice.feelsPressure($0, configuration) }
    }
  }

  /// The type of a quick action.
  static var action: CompletionKind {
    .custom { _, _, _ in configured.allActions.map(\.type) }
  }

  /// A shell shows sentences in the middle of somebody's line, so that a fault is passed over.
  private static var configured: Configuration {
    (try? ConfigurationOptions.parse([]).read()) ?? Configuration()
  }
}
