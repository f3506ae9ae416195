@testable import PressureDesktop

/// A fixed run costs at most 40 steps per byte.
private let work = Work(perByte: 100, base: 20_000)

/// Requests of a browser: any fragmentation gives the same request, within the limits.
func fuzzHTTP(_ bytes: UnsafeBufferPointer<UInt8>) {
  let whole = work.hold(bytes.count, "a request") { outcome(bytes, by: bytes.count + 1) }
  let pieced = outcome(bytes, by: 1 + Int(bytes.first ?? 0) % 64)
  switch (whole, pieced) {
  case (.success(let one), .success(let other)):
    require(one == other, "fragmentation makes no difference")
    guard let one else { return }
    require(one.path.hasPrefix("/"), "a path is absolute")
    require((one.path + one.query).utf8.allSatisfy { $0 < 0x7f }, "an address is ASCII")
    require(one.headers.count <= HTTPReader.headerLimit, "the number of headers is limited")
    require(one.body.count <= HTTPReader.bodyLimit, "the length of the body is limited")
    require(
      one.headers.values.allSatisfy { $0.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7f || $0 == 9 } },
      "values are text")
    _ = try? WebAccess(port: 1).check(one)
  case (.failure(let one), .failure(let other)):
    require(
      (400..<500).contains(one.status) && (400..<500).contains(other.status),
      "an error is the browser's")
  default: fatalError("fragmentation makes a difference: \(whole), \(pieced)")
  }
}

private func outcome(_ bytes: UnsafeBufferPointer<UInt8>, by size: Int) -> Result<
  HTTPRequest?, HTTPError
> {
  var reader = HTTPReader()
  var rest = bytes[...]
  do throws(HTTPError) {
    while !rest.isEmpty {
      if let request = try reader.append(rest.prefix(size)) { return .success(request) }
      rest = rest.dropFirst(size)
    }
    return .success(nil)
  } catch {
    return .failure(error)
  }
}
