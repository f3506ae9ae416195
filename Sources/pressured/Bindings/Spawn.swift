internal import CSystemd
internal import Glibc

/// How a program is started so that it gets its words, the event, and nothing of ours.
enum Spawn {
  /// The first descriptor that is none of a program's own: those from here on are closed.
  private static let firstOfOurs: Int32 = 3

  /// Starts a program in a process group of its own, in the home folder, with nothing to read.
  ///
  /// - Parameters:
  ///   - words: the program, looked for in `$PATH`, and its arguments.
  ///   - variables: what its environment has beside ours.
  /// - Returns: its number; it has to be waited for.
  /// - Throws: why it cannot be started, as where there is no such program.
  static func start(
    _ words: [String], variables: [(name: String, value: String)]
  ) throws(SystemFault) -> pid_t {
    var child: pid_t = 0
    let number = withActions { actions in
      withAttributes { attributes in
        withTexts(words) { arguments in
          withEnvironment(variables) { environment in
            posix_spawnp(&child, words[0], &actions, &attributes, arguments, environment)
          }
        }
      }
    }
    guard number == 0 else { throw SystemFault(attempt: "run \(words[0])", number: number) }
    return child
  }

  private static func withActions(
    _ body: (inout posix_spawn_file_actions_t) -> Int32
  ) -> Int32 {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
    posix_spawn_file_actions_addclosefrom_np(&actions, firstOfOurs)
    posix_spawn_file_actions_addchdir_np(&actions, home)
    return body(&actions)
  }

  /// Signals that the loop has blocked, or that we ignore, are the program's again.
  private static func withAttributes(_ body: (inout posix_spawnattr_t) -> Int32) -> Int32 {
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    var (none, all) = (sigset_t(), sigset_t())
    sigemptyset(&none)
    sigfillset(&all)
    posix_spawnattr_setsigmask(&attributes, &none)
    posix_spawnattr_setsigdefault(&attributes, &all)
    posix_spawnattr_setpgroup(&attributes, 0)
    posix_spawnattr_setflags(
      &attributes,
      Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP))
    return body(&attributes)
  }

  /// The home folder; the root where it is not there, as a program must be somewhere.
  private static var home: String {
    guard let home = Environment.value("HOME"), access(home, X_OK) == 0 else { return "/" }
    return home
  }
}

extension Spawn {
  /// Texts as C has them: a list of pointers that ends with nil.
  private typealias Texts = UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>

  private static func withTexts(_ texts: [String], _ body: (Texts) -> Int32) -> Int32 {
    let copies = texts.map { strdup($0) }
    defer { copies.forEach { free($0) } }
    return with(copies, body)
  }

  /// Ours is handed on as it is, also where it is no UTF-8.
  private static func withEnvironment(
    _ variables: [(name: String, value: String)], _ body: (Texts) -> Int32
  ) -> Int32 {
    var inherited: [UnsafeMutablePointer<CChar>?] = []
    var next = pressured_environment()
    while let entry = next?.pointee {
      let name = String(cString: entry).prefix { $0 != "=" }
      if !EventVariables.isOurs(name) { inherited.append(entry) }
      next = next?.advanced(by: 1)
    }
    let copies = variables.map { strdup("\($0.name)=\($0.value)") }
    defer { copies.forEach { free($0) } }
    return with(inherited + copies, body)
  }

  private static func with(
    _ pointers: [UnsafeMutablePointer<CChar>?], _ body: (Texts) -> Int32
  ) -> Int32 {
    var list = pointers + [nil]
    return list.withUnsafeMutableBufferPointer { buffer in
      buffer.baseAddress.map(body) ?? ENOMEM
    }
  }
}
