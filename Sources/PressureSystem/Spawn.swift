package import CLinux
internal import Glibc

/// Starts a program with given arguments, environment and descriptors, and nothing else inherited.
package struct Spawn {
  /// The program, looked up in `$PATH`, and its arguments.
  package var words: [String]

  /// The working directory; nil for that of this process.
  package var folder: String?

  /// Variables to add to the inherited environment.
  package var variables: [(name: String, value: String)] = []

  /// Whether an inherited variable is removed.
  package var excludesVariable: (Substring) -> Bool = { _ in false }

  /// Its standard error; nil for that of this process.
  package var errors: Int32?

  /// Further descriptors that it inherits, numbered from 3 on.
  package var more: [Int32] = []

  package init(
    words: [String], folder: String? = nil, variables: [(name: String, value: String)] = [],
    excludesVariable: @escaping (Substring) -> Bool = { _ in false }, errors: Int32? = nil,
    more: [Int32] = []
  ) {
    self.words = words
    self.folder = folder
    self.variables = variables
    self.excludesVariable = excludesVariable
    self.errors = errors
    self.more = more
  }

  /// The first descriptor after the standard ones.
  private static let firstOfMore: Int32 = 3

  /// Starts the program in a new process group, with empty standard input; the caller waits for its process ID.
  ///
  /// Its standard output is a descriptor, or by default that of this process.
  package func start(output: Int32? = nil) throws(SystemError) -> pid_t {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    addDescriptors(to: &actions, output)
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    Spawn.resetSignals(in: &attributes)
    var child: pid_t = 0
    let additions = variables.map { "\($0.name)=\($0.value)" }
    let number = Spawn.with(words) { arguments in
      Spawn.with(additions, after: inherited) { environment in
        posix_spawnp(&child, words[0], &actions, &attributes, arguments, environment)
      }
    }
    guard number == 0 else { throw SystemError(attempt: "run \(words[0])", number: number) }
    return child
  }

  /// Runs the program to its end, and returns its output; nil if it fails, or writes more than `limit` bytes.
  package func run(limit: Int) throws(SystemError) -> [UInt8]? {
    var ends: [Int32] = [0, 0]
    try SystemError.checkErrno(pipe(&ends), "make a pipe")
    let reader = Descriptor(ends[0])
    let child = try start(writingTo: Descriptor(ends[1]))
    let bytes = try? InputFile.read(reader, limit: limit)
    if bytes == nil { kill(child, SIGKILL) }
    var status: Int32 = 0
    while waitpid(child, &status, 0) < 0, errno == EINTR {}
    return status == 0 ? bytes : nil
  }

  /// Closes our copy of the pipe's end, so that it ends with the program.
  private func start(writingTo end: consuming Descriptor) throws(SystemError) -> pid_t {
    try start(output: end.number)
  }

  /// Adds the working directory and the descriptors, of which no others are inherited.
  private func addDescriptors(to actions: inout posix_spawn_file_actions_t, _ output: Int32?) {
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
    if let output { posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO) }
    if let errors { posix_spawn_file_actions_adddup2(&actions, errors, STDERR_FILENO) }
    // `dup2` to the same number also clears close-on-exec.
    let numbers = Spawn.firstOfMore...
    for (ours, theirs) in zip(more, numbers) {
      posix_spawn_file_actions_adddup2(&actions, ours, theirs)
    }
    posix_spawn_file_actions_addclosefrom_np(&actions, Spawn.firstOfMore + Int32(more.count))
    if let folder { posix_spawn_file_actions_addchdir_np(&actions, folder) }
  }

  /// Unblocks all signals and restores their default actions, in a new process group.
  private static func resetSignals(in attributes: inout posix_spawnattr_t) {
    var (none, all) = (sigset_t(), sigset_t())
    sigemptyset(&none)
    sigfillset(&all)
    posix_spawnattr_setsigmask(&attributes, &none)
    posix_spawnattr_setsigdefault(&attributes, &all)
    posix_spawnattr_setpgroup(&attributes, 0)
    posix_spawnattr_setflags(
      &attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP))
  }

  /// Calls a body with copies of texts as a C array of strings, which nil terminates, after other C strings.
  private static func with(
    _ texts: [String], after others: [UnsafeMutablePointer<CChar>?] = [],
    _ body: (UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>) -> Int32
  ) -> Int32 {
    let copies = texts.map { strdup($0) }
    defer { copies.forEach { free($0) } }
    var list: [UnsafeMutablePointer<CChar>?] = others + copies + [nil]
    return list.withUnsafeMutableBufferPointer { $0.baseAddress.map(body) ?? ENOMEM }
  }

  /// The inherited entries to pass on, unchanged even if they are not UTF-8.
  private var inherited: [UnsafeMutablePointer<CChar>?] {
    var entries: [UnsafeMutablePointer<CChar>?] = []
    var next = pressured_environment()
    while let entry = next?.pointee {
      if !excludesVariable(String(cString: entry).prefix { $0 != "=" }) { entries.append(entry) }
      next = next?.advanced(by: 1)
    }
    return entries
  }
}
