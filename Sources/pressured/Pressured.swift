internal import ArgumentParser

/// Force touch for Linux.
@main
struct Pressured: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "pressured", abstract: "Force touch for Linux.")
}
