extension String {
  /// The text as an answer quotes it: one that is longer than a glance is cut, as strangers have written it.
  package var glance: String {
    // Not characters: one may be made of as many marks as there is room for.
    let rest = unicodeScalars.dropFirst(40)
    return rest.isEmpty ? self : String(self[..<rest.startIndex]) + "…"
  }
}
