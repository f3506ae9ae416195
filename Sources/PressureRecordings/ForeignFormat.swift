internal import PressureKit

/// Formats that people take for recordings, but from which no contacts can be read.
enum ForeignFormat {
  static let hidRecorder = """
    this is a recording of hid-recorder: it has HID reports, not input events; \
    record with pressured record, libinput record or evemu-record
    """

  private static let database = """
    this is an entry of the udev database (udevadm info, umockdev-record), which has no events; \
    record with pressured record, libinput record or evemu-record
    """

  private static let ioctls = """
    this is a list of system calls by umockdev-record, which has no events; \
    the events are in the file that umockdev-record --evemu-events writes
    """

  private static let devices = """
    this is a list of devices (/proc/bus/input/devices), which has no events; \
    record with pressured record, libinput record or evemu-record
    """

  private static let deviceList = """
    this is the output of libinput list-devices, which has no events; \
    record with libinput record
    """

  private static let debugEvents = """
    this is the output of libinput debug-events, in which libinput has removed the pressure; \
    record with libinput record
    """

  private static let categorized = """
    this is python-evdev's output of categorized events, which has no values; \
    record with python3 -m evdev.evtest
    """

  private static let lines = """
    this is the output of pressured, not of a device; record with pressured record
    """

  /// The reason why the file with this line cannot be read; nil for any other line.
  static func reason(_ line: LineCursor) -> String? {
    var cursor = line
    switch line.peek {
    case UInt8(ascii: "D"):
      if line.starts(with: "Device:   ") { return deviceList }
      return cursor.skip("DEV /dev/") ? ioctls : nil
    case UInt8(ascii: "P"):
      if line.starts(with: "P: Phys=") { return devices }
      return line.starts(with: "P: /") ? database : nil
    case UInt8(ascii: "I"): return line.starts(with: "I: Bus=") ? devices : nil
    case UInt8(ascii: "E"):
      guard cursor.skip("E: "), cursor.peek?.isLetter == true else { return nil }
      cursor.skip { !$0.isWordPart }
      return cursor.peek == UInt8(ascii: "=") ? database : nil
    case UInt8(ascii: "K"): return line.starts(with: "Kernel:   ") ? deviceList : nil
    case UInt8(ascii: "a"): return line.starts(with: "absolute axis event at ") ? categorized : nil
    case UInt8(ascii: "e"):
      if line.starts(with: "event\":\"hello\",") { return lines }
      guard cursor.skip("event"), cursor.skipDigits(atMost: 4) > 0 else { return nil }
      cursor.skipBlanks()
      let isDebugging =
        cursor.skip("DEVICE_ADDED") || cursor.skip("POINTER_") || cursor.skip("TOUCH_")
        || cursor.skip("GESTURE_")
      return isDebugging ? debugEvents : nil
    default: return nil
    }
  }
}
