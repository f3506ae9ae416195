/// A key of the terminal.
package enum Key: Hashable {
  /// One that writes.
  case character(Unicode.Scalar)
  /// One that writes, with Control; the letter is a small one.
  case control(Unicode.Scalar)
  case tab, backTab, enter, escape, backspace, delete
  case up, down, left, right
  case home, end, pageUp, pageDown
}
