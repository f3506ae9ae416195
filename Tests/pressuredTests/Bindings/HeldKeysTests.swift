import Testing

@testable import PressureBindings
@testable import PressureKit

@Test func `a key that two presses hold goes up with the last`() {
  let key = EventCode.key(1)
  var held = HeldKeys()
  let pressed = [held.press(key), held.press(key)]
  #expect(pressed == [true, false])
  #expect(held.down == [key])
  let released = [held.release(key), held.release(key), held.release(key)]
  #expect(released == [false, true, false])
  #expect(held.down.isEmpty)
}
