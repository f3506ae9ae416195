internal import ArgumentParser
internal import Glibc

/// What begins the program.
@main
enum Main {
  static func main() {
    ProgramStart.openStandardDescriptors()
    ProgramStart.checkArguments()
    Pressured.main()
  }
}

/// Force touch for Linux.
struct Pressured: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "pressured",
    abstract: "Says how hard touchpads and touchscreens are pressed, on a Unix socket.",
    version: Version.current,
    subcommands: [
      RunCommand.self, DevicesCommand.self, WatchCommand.self, WeighCommand.self,
      RecordCommand.self, ReplayCommand.self, PlotCommand.self, CalibrateCommand.self,
      DoctorCommand.self,
      CheckCommand.self, PerformCommand.self, BindCommand.self,
    ])
}
