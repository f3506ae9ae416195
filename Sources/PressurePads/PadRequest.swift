internal import PressureProtocol
internal import PressureSystem

/// A request to the program that sets a pad, one line of text.
package enum PadRequest: Hashable, Sendable {
  /// Sets a pad.
  case set([PadSetting: PadWish], isSaved: Bool)
  /// Goes back to the values from before.
  case reset
  /// Sends the saved settings again.
  case restore

  /// The most bytes of a line.
  package static let maximumLength = 256

  /// Parses a line.
  ///
  /// - Throws: `bad_request`, with the accepted requests.
  package init(_ line: some Collection<UInt8>) throws(PadError) {
    guard line.count <= PadRequest.maximumLength,
      line.allSatisfy({ (0x20..<0x7f).contains($0) })
    else { throw PadError(.badRequest, "a request is a line of at most 256 bytes of ASCII") }
    let words = String(decoding: line, as: UTF8.self).split(separator: " ").map(String.init)
    switch words.first {
    case "reset" where words.count == 1: self = .reset
    case "restore" where words.count == 1: self = .restore
    case "set":
      var rest = words.dropFirst()
      let isOnce = rest.last == "once"
      if isOnce { rest = rest.dropLast() }
      self = .set(try PadRequest.wishes(rest), isSaved: !isOnce)
    default:
      throw PadError(.badRequest, "there are set SETTING=VALUE … [once], reset and restore")
    }
  }

  /// Parses settings, each of which may be named once.
  package static func wishes(
    _ words: some Collection<String>
  ) throws(PadError) -> [PadSetting: PadWish] {
    var wishes: [PadSetting: PadWish] = [:]
    for word in words {
      let (setting, wish) = try PadWish.parse(word)
      guard wishes.updateValue(wish, forKey: setting) == nil else {
        throw PadError(.badRequest, "\(setting.rawValue) is named twice")
      }
    }
    guard !wishes.isEmpty else {
      throw PadError(
        .badRequest, "name a setting: click-force=light, medium, firm or grams, or haptics=0 to 100"
      )
    }
    return wishes
  }
}

/// The reply to a request, one line of JSON.
package struct PadReply: Codable, Hashable, Sendable {
  package struct Failure: Codable, Hashable, Sendable {
    package var code: String
    package var message: String
  }

  package var ok: Bool

  /// What was done, in sentences.
  package var done: [String]?
  package var error: Failure?

  /// The longest line.
  static let maximumLength = 4096

  package init(done: [String]) {
    (ok, self.done) = (true, done)
  }

  package init(_ error: PadError) {
    ok = false
    self.error = Failure(code: error.code.rawValue, message: error.message)
  }

  init?(line: [UInt8]) {
    guard let reply = try? LineDecoder.decode(PadReply.self, from: line) else { return nil }
    self = reply
  }

  /// The line with its line feed.
  var line: [UInt8] {
    (try? JSONText.text(of: self, isIndented: false)).map { Array("\($0)\n".utf8) } ?? []
  }
}

extension ExitError {
  /// Creates the exit error for a pad that was not set.
  package init(_ error: PadError) {
    let status: Status =
      switch error.code {
      case .badRequest: .usage
      case .notPermitted: .permissionDenied
      case .busy, .noAnswer: .timedOut
      case .noPad, .gone: .noInput
      case .notDeclared, .outOfRange, .unknownValue, .padError: .badData
      case .notSaved: .cannotCreate
      case .failed: .internalError
      }
    self.init(error.message, status)
  }
}
