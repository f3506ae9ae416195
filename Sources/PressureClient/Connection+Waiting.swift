internal import FoundationEssentials
internal import Glibc
internal import PressureKit
package import PressureProtocol
internal import PressureSystem

/// For verbs that ask one thing and are done.
extension Connection {
  /// Sends the last requests of this connection, and waits for the first answer.
  ///
  /// - Parameters:
  ///   - requests: lines of JSON.
  ///   - deadline: how long to wait.
  /// - Returns: the answer, and its line for whoever knows what kind of result is in it.
  /// - Throws: what has ended the connection before that, or that time is up.
  package func ask(
    _ requests: borrowing JSONLinesWriter, before deadline: Deadline
  ) throws(ConnectionError) -> (reply: ReceivedReply, line: [UInt8]) {
    try send(requests)
    while readiness.contains(.writing) {
      try wait(for: Int16(POLLOUT), before: deadline)
      try flush()
    }
    try shut()
    while true {
      for line in try receive() {
        if case .reply(let reply) = ReceivedEvent(line: line) { return (reply, line) }
      }
      try wait(for: Int16(POLLIN), before: deadline)
    }
  }

  /// Waits until the daemon says something; what it is does not matter.
  package func waitForLine(before deadline: Deadline) throws(ConnectionError) {
    while try receive().isEmpty {
      try wait(for: Int16(POLLIN), before: deadline)
    }
  }

  package func wait(for events: Int16, before deadline: Deadline) throws(ConnectionError) {
    // A daemon that says one thing after another, but never the answer, must not keep us either.
    let left = deadline.milliseconds
    var place = pollfd(fd: descriptor, events: events, revents: 0)
    let count = poll(&place, 1, left)
    if count == 0 || left == 0 { throw .timedOut(deadline.seconds) }
    if count < 0, errno != EINTR {
      throw .system(SystemError(attempt: "wait for the daemon", number: errno))
    }
  }
}

extension ReceivedEvent {
  /// Reads a line; one that cannot be read is as good as one of an unknown event.
  package init(line: [UInt8]) {
    self = (try? JSONDecoder().decode(ReceivedEvent.self, from: Data(line))) ?? .other
  }
}
