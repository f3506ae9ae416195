import Testing

@testable import PressureDesktop

@Suite struct HTTPReaderTests {
  private static let get =
    "GET /page.js?x=1 HTTP/1.1\r\nHost: 127.0.0.1:80\r\nCookie: a=1; pressured=22\r\n\r\n"

  private func read(_ text: String, piece: Int = .max) throws -> HTTPRequest? {
    var reader = HTTPReader()
    var rest = Array(text.utf8)[...]
    while !rest.isEmpty {
      if let request = try reader.append(rest.prefix(piece)) { return request }
      rest = rest.dropFirst(piece)
    }
    return nil
  }

  private func status(of text: String) -> Int? {
    do {
      _ = try read(text)
      return nil
    } catch {
      return (error as? HTTPError)?.status
    }
  }

  @Test(arguments: [1, 2, 3, 7, 1000]) func `a request is read in pieces of any size`(piece: Int)
    throws
  {
    let request = try #require(try read(Self.get, piece: piece))
    #expect(request.method == .get && request.path == "/page.js" && request.query == "x=1")
    #expect(request.headers == ["host": "127.0.0.1:80", "cookie": "a=1; pressured=22"])
    #expect(request.cookies("pressured") == ["22"] && request.cookies("press") == [])
  }

  @Test(arguments: [1, 5, 1000]) func `a body has the stated length`(piece: Int) throws {
    let text = "POST /request HTTP/1.1\r\nContent-Length: 4\r\n\r\nping and more"
    #expect(try read(text, piece: piece)?.body == Array("ping".utf8))
    #expect(try read("POST / HTTP/1.1\r\nContent-Length: 4\r\n\r\npin") == nil)
  }

  @Test(arguments: [
    "GET / HTTP/1.0\r\n\r\n", "GET  / HTTP/1.1\r\n\r\n", "GET http://a/ HTTP/1.1\r\n\r\n",
    "GET\r\n\r\n", "\r\n\r\n",
    "GET / HTTP/1.1\nHost: a\r\n\r\n", "GET / HTTP/1.1\r\nHost : a\r\n\r\n",
    "GET / HTTP/1.1\r\n: a\r\n\r\n",
    "GET / HTTP/1.1\r\nHost: a\r\n b\r\n\r\n", "GET / HTTP/1.1\r\nHost: a\r\nhost: b\r\n\r\n",
    "GET / HTTP/1.1\r\nHost: \u{7f}\r\n\r\n", "GET /\u{0} HTTP/1.1\r\n\r\n",
    "GET /ü HTTP/1.1\r\n\r\n", "GET / HTTP/1.1\r\nü: a\r\n\r\n",
    "POST / HTTP/1.1\r\nContent-Length: -1\r\n\r\n",
    "POST / HTTP/1.1\r\nContent-Length: 999999999\r\n\r\n",
  ]) func `what is malformed is refused`(text: String) {
    #expect(status(of: text) == 400)
  }

  @Test func `other methods and encodings are refused`() {
    #expect(status(of: "PUT / HTTP/1.1\r\n\r\n") == 405)
    #expect(status(of: "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n") == 411)
  }

  @Test func `the limits are what may be sent`() throws {
    let fixed = "GET / HTTP/1.1\r\na: ".utf8.count
    let most = String(repeating: "x", count: HTTPReader.headLimit - fixed)
    #expect(try read("GET / HTTP/1.1\r\na: \(most)\r\n\r\n") != nil)
    #expect(status(of: "GET / HTTP/1.1\r\na: \(most)x\r\n\r\n") == 431)
    #expect(status(of: String(repeating: "x", count: HTTPReader.headLimit + 4)) == 431)
    let headers = { (count: Int) in (0..<count).map { "h\($0): 1\r\n" }.joined() }
    #expect(try read("GET / HTTP/1.1\r\n\(headers(HTTPReader.headerLimit))\r\n") != nil)
    #expect(status(of: "GET / HTTP/1.1\r\n\(headers(HTTPReader.headerLimit + 1))\r\n") == 431)
    let body = String(repeating: "x", count: HTTPReader.bodyLimit)
    #expect(
      try read("POST / HTTP/1.1\r\nContent-Length: \(body.count)\r\n\r\n\(body)")?.body.count
        == body.count)
    #expect(status(of: "POST / HTTP/1.1\r\nContent-Length: \(body.count + 1)\r\n\r\n") == 413)
  }
}

@Suite struct WebAccessTests {
  private let access = WebAccess(port: 4000)

  private func request(
    _ method: HTTPRequest.Method, _ path: String, query: String = "",
    host: String = "127.0.0.1:4000", _ more: [String: String] = [:]
  ) -> HTTPRequest {
    HTTPRequest(
      method: method, path: path, query: query, headers: ["host": host].merging(more) { $1 })
  }

  private var cookie: [String: String] {
    ["cookie": "pressured-1=2; pressured-4000=\(access.cookie)"]
  }

  private func isGranted(_ request: HTTPRequest) -> Bool { (try? access.check(request)) != nil }

  @Test func `the token is exchanged for the cookie`() throws {
    #expect(
      access.token.utf8.count == 32 && access.cookie.utf8.count == 32
        && access.token != access.cookie)
    #expect(try access.check(request(.get, "/", query: "token=\(access.token)")))
    #expect(try !access.check(request(.get, "/page.js", cookie)))
    #expect(
      !isGranted(request(.get, "/"))
        && !isGranted(request(.get, "/page.js", query: "token=\(access.token)")))
    #expect(!isGranted(request(.get, "/", query: "token=\(WebAccess(port: 4000).token)")))
  }

  @Test func `cookies of other ports do no harm`() throws {
    var reader = HTTPReader()
    let head = "GET / HTTP/1.1\r\nHost: 127.0.0.1:4000\r\n"
    let cookies = "Cookie: a=grün;\u{301}b=1; pressured-4000=2; pressured-4000=\(access.cookie); c="
    let request = try #require(
      try reader.append(Array((head + cookies).utf8) + [0xff] + Array("\r\n\r\n".utf8)))
    #expect(request.cookies("pressured-4000") == ["2", access.cookie])
    #expect(isGranted(request))
  }

  @Test func `requests need cookie and token`() {
    let token = ["x-pressured-token": access.token]
    #expect(isGranted(request(.post, "/request", cookie.merging(token) { $1 })))
    #expect(
      !isGranted(request(.post, "/request", cookie))
        && !isGranted(request(.post, "/request", token)))
    #expect(!isGranted(request(.post, "/request", query: "token=\(access.token)")))
  }

  @Test(arguments: [
    "evil.example", "127.0.0.1", "127.0.0.1:4001", "localhost:40001", "[::1]:4000", "",
  ])
  func `other names of the address are refused`(host: String) {
    #expect(!isGranted(request(.get, "/", host: host, cookie)))
    #expect(isGranted(request(.get, "/", host: "localhost:4000", cookie)))
  }

  @Test func `other pages are refused`() {
    for origin in [
      "http://evil.example", "null", "http://localhost:4000", "https://127.0.0.1:4000",
    ] {
      #expect(
        !isGranted(request(.get, "/", cookie.merging(["origin": origin]) { $1 })), "\(origin)")
    }
    #expect(
      isGranted(request(.get, "/", cookie.merging(["origin": "http://127.0.0.1:4000"]) { $1 })))
    for site in ["cross-site", "same-site"] {
      #expect(
        !isGranted(request(.get, "/", cookie.merging(["sec-fetch-site": site]) { $1 })), "\(site)")
    }
  }
}
