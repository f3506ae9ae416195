import Testing

@testable import pressured

@Test func `yaml pieces come with their places`() throws {
  var text = Array("a: [1, \"2\"]\n".utf8)[...]
  let parser = YAMLParser { buffer in
    let count = min(buffer.count, text.count)
    buffer.copyBytes(from: text.prefix(count))
    text = text.dropFirst(count)
    return count
  }
  var tokens: [YAMLToken] = []
  while tokens.last != .end { tokens.append(try parser.next().token) }
  #expect(
    tokens == [
      .mappingStart, .scalar("a", plain: true), .sequenceStart, .scalar("1", plain: true),
      .scalar("2", plain: false), .sequenceEnd, .mappingEnd, .end,
    ])
}
