internal import Glibc

/// Owns an open file, and closes it.
package struct Descriptor: ~Copyable {
  package let number: Int32

  package init(_ number: Int32) {
    self.number = number
  }

  deinit {
    close(number)
  }
}
