import Testing

@testable import PressureSettings

@Test func `tokens have locations`() throws {
  let parser = YAMLParser(Array("a: [1, \"2\"]\n".utf8))
  var tokens: [YAMLToken] = []
  while tokens.last != .end { tokens.append(try parser.next().token) }
  #expect(
    tokens == [
      .mappingStart, .scalar("a", plain: true), .sequenceStart, .scalar("1", plain: true),
      .scalar("2", plain: false), .sequenceEnd, .mappingEnd, .end,
    ])
}

@Test(arguments: [
  ("[", 1, 2), ("[a,\n", 1, 3), ("[a, # and?\n\n", 1, 3), ("{a", 1, 3), ("a: 1\nb: {c: 2", 2, 9),
  ("a: \"b", 1, 4), ("a: \"b\n\n", 1, 4), ("a: ]", 1, 4), ("a: [}\n\n\n", 1, 5),
  ("a: 1\n b: 2\n", 2, 3),
]) func `the location of an error is within the file`(text: String, line: Int, column: Int) {
  let parser = YAMLParser(Array(text.utf8))
  let error = #expect(throws: YAMLError.self) { while try parser.next().token != .end {} }
  #expect(error?.mark.line == line && error?.mark.column == column, "\(String(describing: error))")
}

@Test(arguments: ["", "# c", "# c\n"]) func `an empty file ends at its beginning`(text: String)
  throws
{
  let piece = try YAMLParser(Array(text.utf8)).next()
  #expect(piece.token == .end && piece.mark.line == 1 && piece.mark.column == 1, "\(piece)")
}
