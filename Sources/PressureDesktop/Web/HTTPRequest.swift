/// A request of HTTP/1.1, as far as the page needs it.
package struct HTTPRequest: Hashable {
  package enum Method: String {
    case get = "GET"
    case post = "POST"
  }

  package var method: Method

  /// The path, and what follows its question mark.
  package var path: String
  package var query = ""

  /// Values by the lowercase names of their headers.
  package var headers: [String: String] = [:]

  package var body: [UInt8] = []

  /// The values of all cookies of a name: servers on other ports can set further ones.
  func cookies(_ name: String) -> [String] {
    // Bytes, as marks combine with a semicolon to one character.
    (headers["cookie"] ?? "").utf8.split(separator: UInt8(ascii: ";")).compactMap { part in
      let pair = part.drop { $0 == 0x20 }
      guard pair.starts(with: "\(name)=".utf8) else { return nil }
      return String(pair.dropFirst(name.utf8.count + 1))
    }
  }
}

/// Why a request is not answered, with the status of its response.
package struct HTTPError: Error, Hashable {
  package let status: Int
  package let reason: String

  init(_ status: Int, _ reason: String) {
    (self.status, self.reason) = (status, reason)
  }

  static var malformed: HTTPError { HTTPError(400, "this is not a request of HTTP/1.1") }

  static var tooLong: HTTPError { HTTPError(431, "the headers are too long") }
}

/// Reads one request from the bytes of a connection; each byte is examined a fixed number of times.
package struct HTTPReader {
  /// The longest request line with all headers, and the longest body, in bytes.
  package static let headLimit = 8192
  package static let bodyLimit = 16_384

  /// The most headers; browsers send about 15.
  package static let headerLimit = 64

  private var bytes: [UInt8] = []

  /// No end of the head was found before this offset.
  private var searched = 0

  /// The request without its body, where that starts, and its length.
  private var head: (request: HTTPRequest, start: Int, length: Int)?

  package init() {}

  /// Appends bytes; returns the request once it is complete, or nil.
  package mutating func append(_ more: some Collection<UInt8>) throws(HTTPError) -> HTTPRequest? {
    bytes.append(contentsOf: more)
    if head == nil, let end = endOfHead() {
      guard end <= HTTPReader.headLimit else { throw .tooLong }
      let request = try HTTPReader.request(of: bytes[..<end])
      head = (request, end + 4, try HTTPReader.bodyLength(of: request))
    }
    guard let head else {
      // Three bytes of the empty line may be there already.
      guard bytes.count <= HTTPReader.headLimit + 3 else { throw .tooLong }
      return nil
    }
    guard bytes.count - head.start >= head.length else { return nil }
    var request = head.request
    request.body = Array(bytes[head.start..<head.start + head.length])
    return request
  }

  /// The offset of the empty line after the headers; nil if it is not there yet.
  private mutating func endOfHead() -> Int? {
    while searched + 4 <= bytes.count {
      if bytes[searched...].starts(with: [13, 10, 13, 10]) { return searched }
      searched += 1
    }
    return nil
  }

  private static func bodyLength(of request: HTTPRequest) throws(HTTPError) -> Int {
    guard request.headers["transfer-encoding"] == nil else {
      throw HTTPError(411, "a body needs a Content-Length")
    }
    guard let text = request.headers["content-length"] else { return 0 }
    guard text.utf8.count <= 8, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
      let length = Int(text)
    else { throw HTTPError(400, "the Content-Length is not a number") }
    guard length <= bodyLimit else { throw HTTPError(413, "the body is too long") }
    return length
  }

  private static func request(of head: ArraySlice<UInt8>) throws(HTTPError) -> HTTPRequest {
    var rest = head
    var request = try firstLine(try line(&rest))
    while !rest.isEmpty {
      guard request.headers.count < headerLimit else { throw .tooLong }
      let line = try line(&rest)
      guard let colon = line.firstIndex(of: UInt8(ascii: ":")), colon > line.startIndex,
        line[..<colon].allSatisfy(isNamePart)
      else { throw .malformed }
      let name = String(decoding: line[..<colon], as: UTF8.self).lowercased()
      var value = line[(colon + 1)...]
      while value.first == 0x20 || value.first == 0x09 { value.removeFirst() }
      while value.last == 0x20 || value.last == 0x09 { value.removeLast() }
      // Two values could be understood in two ways.
      guard request.headers[name] == nil else { throw .malformed }
      request.headers[name] = String(decoding: value, as: UTF8.self)
    }
    return request
  }

  /// Removes the first line, which may have bytes beyond ASCII: browsers send the cookies of other ports as they are.
  private static func line(_ rest: inout ArraySlice<UInt8>) throws(HTTPError) -> ArraySlice<UInt8> {
    let end = rest.firstIndex(of: 13) ?? rest.endIndex
    let line = rest[..<end]
    guard line.allSatisfy({ $0 >= 0x20 && $0 != 0x7f || $0 == 0x09 }) else { throw .malformed }
    rest = rest[end...]
    if !rest.isEmpty {
      guard rest.starts(with: [13, 10]) else { throw .malformed }
      rest = rest.dropFirst(2)
    }
    return line
  }

  private static func firstLine(_ line: ArraySlice<UInt8>) throws(HTTPError) -> HTTPRequest {
    let words = line.split(separator: 0x20, omittingEmptySubsequences: false)
    guard words.count == 3, words[2].elementsEqual("HTTP/1.1".utf8),
      words[1].first == UInt8(ascii: "/"), line.allSatisfy({ $0 < 0x80 })
    else { throw .malformed }
    guard let method = HTTPRequest.Method(rawValue: String(decoding: words[0], as: UTF8.self))
    else {
      throw HTTPError(405, "only GET and POST are answered")
    }
    let mark = words[1].firstIndex(of: UInt8(ascii: "?")) ?? words[1].endIndex
    return HTTPRequest(
      method: method, path: String(decoding: words[1][..<mark], as: UTF8.self),
      query: String(decoding: words[1][mark...].dropFirst(), as: UTF8.self))
  }

  private static func isNamePart(_ byte: UInt8) -> Bool {
    (0x30...0x39).contains(byte) || (0x41...0x5a).contains(byte) || (0x61...0x7a).contains(byte)
      || "-_".utf8.contains(byte)
  }
}
