internal import ArgumentParser
internal import PressureProtocol
internal import PressureSettings
internal import PressureSystem

struct GenerateCommand: ParsableCommand {
  static let configuration = CommandConfiguration(commandName: "generate", shouldDisplay: false)

  enum Product: String, ExpressibleByArgument, CaseIterable {
    /// The example file of the configuration.
    case example
    /// The entries of settings.
    case keys
    /// The entries of the keys of quirks.
    case quirks
    /// The tables of events, requests and error codes, as JSON.
    case `protocol`
    /// Words for the fuzz target of configuration files.
    case settings
  }

  @Argument var product: Product
  @Argument var names: [String] = []

  func run() throws {
    switch product {
    case .example: StandardOutput.print(SettingsText.example)
    case .keys: StandardOutput.print(SettingsText.manual(names))
    case .quirks: StandardOutput.print(SettingsText.quirks)
    case .protocol:
      StandardOutput.print(try JSONText.text(of: ProtocolTables(), isIndented: false))
    case .settings: StandardOutput.print(SettingsText.fuzzWords)
    }
  }
}
