extension String {
  /// Whether both are the same bytes of UTF-8.
  ///
  /// `==` and hashing take canonically equivalent texts for the same. For that they sort the combining marks after a
  /// letter, in time that is quadratic in their number, so neither is for a text of somebody else. Bytes are
  /// compared eight at a time: names are compared for each line and client.
  public func hasSameBytes(as other: String) -> Bool {
    guard utf8.count == other.utf8.count else { return false }
    let isSame = utf8.withContiguousStorageIfAvailable { left in
      other.utf8.withContiguousStorageIfAvailable { right in
        String.areSame(UnsafeRawBufferPointer(left), UnsafeRawBufferPointer(right))
      }
    }
    return (isSame ?? nil) ?? utf8.elementsEqual(other.utf8)
  }

  /// Compares as many bytes as both have.
  private static func areSame(
    _ left: UnsafeRawBufferPointer, _ right: UnsafeRawBufferPointer
  ) -> Bool {
    var place = 0
    while left.count - place >= 8 {
      let some = left.loadUnaligned(fromByteOffset: place, as: UInt64.self)
      guard some == right.loadUnaligned(fromByteOffset: place, as: UInt64.self) else {
        return false
      }
      place += 8
    }
    while place < left.count {
      guard left[place] == right[place] else { return false }
      place += 1
    }
    return true
  }
}
