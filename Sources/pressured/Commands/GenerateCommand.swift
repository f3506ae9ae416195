internal import ArgumentParser
internal import PressureProtocol
internal import PressureSettings
internal import PressureSystem

/// `pressured generate`: prints files and parts of pages that are made from the tables of the program, for scripts/generate.
struct GenerateCommand: ParsableCommand {
  static let configuration = CommandConfiguration(commandName: "generate", shouldDisplay: false)

  enum Product: String, ExpressibleByArgument, CaseIterable {
    /// The example file of the configuration.
    case example
    /// The entries of settings.
    case keys
    /// The schema of the protocol.
    case schema
    /// The table of the fields of an event.
    case fields
    /// The entries of requests.
    case requests
    /// The requests by permission.
    case permissions
    /// The requests that need the permission `use`.
    case use
    /// Words for the fuzz target of requests.
    case words
    /// Words for the fuzz target of configuration files.
    case settings
    /// The requests with their rights and examples, as JSON for tests.
    case table
  }

  @Argument var product: Product
  @Argument var names: [String] = []

  func run() {
    switch product {
    case .example: StandardOutput.print(SettingsText.example)
    case .keys: StandardOutput.print(SettingsText.manual(names))
    case .schema: StandardOutput.print(ProtocolSchema.text)
    case .fields: for name in names { StandardOutput.print(ProtocolManual.table(of: name) ?? "") }
    case .requests: StandardOutput.print(ProtocolManual.entries(of: names))
    case .permissions: StandardOutput.print(ProtocolManual.permissions)
    case .use:
      StandardOutput.print(
        "These requests need permission to use the scale and the actions: \(ProtocolManual.requests(needing: "use"))."
      )
    case .words: StandardOutput.print(RequestDefinition.fuzzWords)
    case .settings: StandardOutput.print(SettingsText.fuzzWords)
    case .table: StandardOutput.print(RequestDefinition.table)
    }
  }
}
