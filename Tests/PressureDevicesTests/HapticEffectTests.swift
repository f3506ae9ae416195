import CEvdev
import Testing

@testable import PressureDevices

/// The bytes of uploaded effects, as older headers lack some of the fields.
struct HapticEffectTests {
  /// The 16-bit fields of the effect, in the kernel's order, for a device that can play some; nil without any.
  private func words(of codes: [UInt32], intensityPercent: Int = 0) throws -> [UInt16]? {
    let device = try #require(libevdev_new())
    defer { libevdev_free(device) }
    for code in codes { libevdev_enable_event_code(device, UInt32(EV_FF), code, nil) }
    return ff_effect(bestOf: device, intensityPercent: intensityPercent).map { effect in
      withUnsafeBytes(of: effect) { Array($0.bindMemory(to: UInt16.self)) }
    }
  }

  /// Type, id, direction, trigger, replay and padding; the union begins at byte 16.
  private func head(_ type: UInt16, length: UInt16 = 0) -> [UInt16] {
    [type, UInt16(bitPattern: -1), 0, 0, 0, length, 0, 0]
  }

  @Test(arguments: [0, 60, 100])
  func `the usage of a click effect is a click, and never a press or a release`(percent: Int) throws
  {
    let click = try #require(try words(of: [0x4f], intensityPercent: percent))
    #expect(click.prefix(8) == head(0x4f)[...])
    // Usage, vendor, vendor page, intensity, repeat count, period; then zeros.
    #expect(click[8...] == ([0x1003, 0, 0, UInt16(percent)] + Array(repeating: 0, count: 12))[...])
  }

  @Test(arguments: [(0, 0), (60, 39321), (100, 65535)] as [(Int, UInt16)])
  func `rumble effects last 30 milliseconds`(percent: Int, magnitude: UInt16) throws {
    let rumble = try #require(try words(of: [0x50], intensityPercent: percent))
    #expect(rumble.prefix(8) == head(0x50, length: 30)[...])
    // Strong, weak; then zeros.
    #expect(rumble[8...] == ([magnitude, magnitude] + Array(repeating: 0, count: 14))[...])
  }

  @Test(
    arguments: [
      ([], nil), ([0x51], nil), ([0x50], 0x50), ([0x4f], 0x4f), ([0x50, 0x4f], 0x4f),
    ] as [([UInt32], UInt16?)])
  func `the best supported effect is selected`(codes: [UInt32], type: UInt16?) throws {
    #expect(try words(of: codes)?.first == type)
  }
}
