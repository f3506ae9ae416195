internal import PressureKit

/// Who may use the page: the browsers of this user that were opened at the address with the token.
///
/// The loopback interface is shared by all users of a machine, and any page of the Internet can address it. What each rule prevents:
///
/// | rule | against |
/// |---|---|
/// | the connection is from a process of this user | other users of the machine, also with a stolen token |
/// | `Host` is this address | a page whose name resolves to 127.0.0.1 (DNS rebinding) |
/// | `Origin` and `Sec-Fetch-Site`, if there are any, are of this page | requests by other pages |
/// | a cookie that was exchanged for the token | processes that know only the port |
/// | the token again, as a header, for all but files | servers on other ports, to which browsers send the same cookies |
package struct WebAccess {
  static let headerName = "x-pressured-token"

  /// The name of the cookie contains the port, as browsers send the cookies of a host to all of its ports.
  let cookieName: String

  /// 128 random bits each.
  package let token: String
  let cookie: String

  private let hosts: [String]

  package init(port: UInt16) {
    token = WebAccess.secret()
    cookie = WebAccess.secret()
    cookieName = "pressured-\(port)"
    hosts = ["127.0.0.1:\(port)", "localhost:\(port)"]
  }

  /// From the system's generator.
  private static func secret() -> String {
    (0..<2).map { _ in UInt64.random(in: 0 ... .max).hexadecimal(16) }.joined()
  }

  /// Throws why a request is refused; returns whether the browser is to receive the cookie.
  package func check(_ request: HTTPRequest) throws(HTTPError) -> Bool {
    guard let host = request.headers["host"], hosts.contains(host) else {
      throw HTTPError(403, "this address is not the page's")
    }
    guard [nil, "http://\(host)"].contains(request.headers["origin"]),
      [nil, "same-origin", "none"].contains(request.headers["sec-fetch-site"])
    else { throw HTTPError(403, "another page may not send requests") }
    let hasCookie = request.cookies(cookieName).contains { WebAccess.isEqual($0, to: cookie) }
    switch request.method {
    case .get:
      let isEntry = request.path == "/" && WebAccess.isEqual(request.query, to: "token=\(token)")
      if hasCookie || isEntry { return !hasCookie }
    case .post:
      if hasCookie, WebAccess.isEqual(request.headers[WebAccess.headerName], to: token) {
        return false
      }
    }
    throw HTTPError(403, "open the address that pressured web printed: it contains the token")
  }

  /// Compares in a time that does not depend on the secret.
  private static func isEqual(_ text: String?, to secret: String) -> Bool {
    guard let text, text.utf8.count == secret.utf8.count else { return false }
    return zip(text.utf8, secret.utf8).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
  }
}
