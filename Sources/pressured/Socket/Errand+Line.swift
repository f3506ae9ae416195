internal import FoundationEssentials
internal import PressureKit

extension Errand {
  /// Understands a line as far as possible; nil where it asks for nothing.
  init?(_ line: Inbox.Line) {
    switch line {
    case .tooLong:
      let limit = Request.maximumLength
      command = .failure(RequestFault(.lineTooLong, "a request is at most \(limit) bytes long"))
      isLast = true
    case .whole(let bytes):
      // Who presses return at a prompt has asked for nothing.
      guard bytes.contains(where: { $0 > 0x20 }) else { return nil }
      do throws(RequestFault) {
        let request = try Request(line: bytes)
        self.request = request
        command = .success(try Command(request))
      } catch {
        command = .failure(error)
      }
    }
  }
}

extension Request {
  /// Reads a line: a JSON object, or words.
  fileprivate init(line bytes: [UInt8]) throws(RequestFault) {
    guard bytes.first(where: { $0 > 0x20 }) == UInt8(ascii: "{") else {
      try self.init(words: String(decoding: bytes, as: UTF8.self)[...])
      return
    }
    let members: [String: RequestValue]
    do {
      members = try JSONDecoder().decode([String: RequestValue].self, from: Data(bytes))
    } catch {
      throw RequestFault(.badJSON, "the line is no JSON object")
    }
    try self.init(members: members)
  }
}
