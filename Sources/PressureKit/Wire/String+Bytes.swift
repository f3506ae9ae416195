extension String {
  /// Whether both are the same bytes of UTF-8.
  ///
  /// `==` and hashing take canonically equivalent texts for the same. For that they sort the combining marks after a
  /// letter, in time that is quadratic in their number, so neither is for a text of somebody else.
  @inlinable
  public func hasSameBytes(as other: String) -> Bool {
    let (left, right) = (utf8, other.utf8)
    return left.count == right.count && left.elementsEqual(right)
  }
}
