internal import PressureKit

/// A key of an object in a request, compared and hashed by its bytes.
public struct RequestKey: Hashable, Sendable {
  public let text: String

  public init(_ text: String) {
    self.text = text
  }

  public static func == (left: RequestKey, right: RequestKey) -> Bool {
    left.text.hasSameBytes(as: right.text)
  }

  public func hash(into hasher: inout Hasher) {
    let isWhole: Void? = text.utf8.withContiguousStorageIfAvailable {
      hasher.combine(bytes: UnsafeRawBufferPointer($0))
    }
    if isWhole == nil { for byte in text.utf8 { hasher.combine(byte) } }
  }
}

extension RequestKey: ExpressibleByStringLiteral {
  public init(stringLiteral text: String) {
    self.init(text)
  }
}

extension RequestKey: Comparable {
  public static func < (left: RequestKey, right: RequestKey) -> Bool {
    left.text.utf8.lexicographicallyPrecedes(right.text.utf8)
  }
}
