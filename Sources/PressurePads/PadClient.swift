internal import Glibc
internal import PressureClient
internal import PressureProtocol
internal import PressureSystem

package enum PadClient {
  /// How long a request may take: each of at most two writes and four reads takes up to five seconds.
  private static let timeout = 60.0

  /// The socket of a pad; nil if no service runs for it.
  package static func path(of pad: PadDevice) -> String? {
    let path = "/run/pressured/pad/\(pad.node)"
    return access(path, F_OK) == 0 ? path : nil
  }

  /// Sends a request, a line without its line feed, and returns what was done, in sentences.
  package static func ask(
    _ request: String, at path: String, seconds: Double = timeout
  ) throws(PadError) -> [String] {
    let reply: PadReply
    do throws(ConnectionError) {
      let deadline = Deadline(seconds: seconds)
      let connection = try Connection.open(at: [path], before: deadline)
      try connection.send(Array("\(request)\n".utf8))
      var lines: [[UInt8]] = []
      while lines.isEmpty { lines = try connection.nextLines(before: deadline) }
      reply = PadReply(line: lines[0])
    } catch .busy, .timedOut {
      throw PadError(
        .noAnswer, "the service of the pad did not reply within \(Int(seconds)) seconds")
    } catch {
      throw PadError(
        .failed,
        "the service of the pad does not answer at \(path): \(error.sentence); see systemctl status 'pressured-pad@*'"
      )
    }
    guard reply.ok else { throw reply.error ?? PadError(.failed, "the service of the pad refuses") }
    return reply.done ?? []
  }
}

// MARK: - Requests and replies

/// A request to the program that sets a pad, one line of text.
package enum PadRequest: Hashable, Sendable {
  case set([PadSetting: PadTarget], isSaved: Bool)
  case reset
  case restore

  package static let maximumLength = 256

  /// Parses a line; throws `bad_request` with the accepted requests.
  package init(_ line: some Collection<UInt8>) throws(PadError) {
    guard line.count <= PadRequest.maximumLength, line.allSatisfy({ (0x20..<0x7f).contains($0) })
    else { throw PadError(.badRequest, "a request is a line of at most 256 bytes of ASCII") }
    let words = String(decoding: line, as: UTF8.self).split(separator: " ").map(String.init)
    switch words.first {
    case "reset" where words.count == 1: self = .reset
    case "restore" where words.count == 1: self = .restore
    case "set":
      let isOnce = words.last == "once"
      let targets = try PadRequest.targets(words.dropFirst().dropLast(isOnce ? 1 : 0))
      self = .set(targets, isSaved: !isOnce)
    default: throw PadError(.badRequest, "there are set SETTING=VALUE … [once], reset and restore")
    }
  }

  package static func targets(
    _ words: some Collection<String>
  ) throws(PadError) -> [PadSetting: PadTarget] {
    var targets: [PadSetting: PadTarget] = [:]
    for word in words {
      let (setting, target) = try PadTarget.parse(word)
      guard targets.updateValue(target, forKey: setting) == nil else {
        throw PadError(.badRequest, "\(setting.rawValue) is named twice")
      }
    }
    guard !targets.isEmpty else {
      throw PadError(.badRequest, "name a setting: \(PadTarget.forms)")
    }
    return targets
  }
}

struct PadReply: Codable, Hashable {
  var ok: Bool

  var done: [String]?
  var error: PadError?

  init(done: [String]) {
    (ok, self.done) = (true, done)
  }

  init(_ error: PadError) {
    (ok, self.error) = (false, error)
  }

  /// Decodes a line; another one is an error.
  init(line: [UInt8]) {
    self =
      (try? LineDecoder.decode(PadReply.self, from: line))
      ?? PadReply(PadError(.failed, "the pad's service sent an invalid reply"))
  }

  var line: [UInt8] { JSONText.line(of: self) }
}
