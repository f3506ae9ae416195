internal import PressureDevices
internal import PressureKit
internal import PressureRecordings
internal import PressureSettings
internal import PressureSystem

/// A proposal for libinput's local quirks, from a recording of touches.
///
/// It is printed as a difference that patch(1) applies and reverses; nothing is written.
struct LibinputProposal {
  /// The only file of local quirks that libinput reads.
  private static let path = "/etc/libinput/local-overrides.quirks"

  /// The largest file of quirks that is read, in bytes.
  private static let sizeLimit = 1 << 20

  /// The fewest touches on which a threshold is based.
  private static let requiredTouches = 5

  /// A touch begins at half of the lightest one's pressure and ends at four fifths of that; a palm is a quarter above the
  /// hardest one.
  private static let beginPart = 0.5
  private static let endPart = 0.8
  private static let palmPart = 1.25

  private let description: DeviceDescription
  private let entries: [String]

  /// The lines for the section, without its title.
  private var section: [String] {
    let bus = LibinputProposal.buses.first { $0.number == description.bus }
    return ["[\(description.name.onOneLine), by pressured]"]
      + (bus.map { ["MatchBus=\($0.name)"] } ?? [])
      + [
        "MatchVendor=0x\(LibinputProposal.digits(description.vendor))",
        "MatchProduct=0x\(LibinputProposal.digits(description.product))",
        "MatchUdevType=touchpad",
      ] + entries
  }

  private static let buses: [(number: UInt16, name: String)] = [
    (0x03, "usb"), (0x05, "bluetooth"), (0x11, "ps2"), (0x18, "i2c"), (0x1c, "spi"), (0x1d, "rmi"),
  ]

  private static func digits(_ number: UInt16) -> String {
    let digits = String(number, radix: 16, uppercase: true)
    return String(repeating: "0", count: 4 - digits.count) + digits
  }

  /// Derives the proposal.
  ///
  /// - Parameters:
  ///   - recording: touches with single fingers, light and hard ones.
  ///   - configuration: the settings of devices.
  /// - Throws: why there is none.
  init(_ recording: Recording, _ configuration: Configuration) throws(ExitError) {
    description = recording.description
    let surface: Surface
    do throws(DeviceError) {
      surface = try configuration.surface(of: description)
    } catch {
      throw ExitError("\(recording.path): \(error.sentence)", .badData)
    }
    guard description.kind == .touchpad else {
      throw ExitError("\(recording.path): libinput uses the pressure of touchpads only", .badData)
    }
    if surface.capability == .force {
      guard !DesktopFinding(quirks: nil, description).isPressurePad else {
        throw ExitError(
          "\(recording.path): it is a pressure pad for libinput already; nothing to propose",
          .badData)
      }
      entries = ["AttrInputProp=+INPUT_PROP_PRESSUREPAD"]
      return
    }
    guard surface.capability == .size, let axis = surface.pressure?.axis else {
      throw ExitError("\(recording.path): it contains no usable pressure", .badData)
    }
    let peaks = try LibinputProposal.peaks(recording, surface, configuration)
    guard peaks.count >= LibinputProposal.requiredTouches, let lightest = peaks.min(),
      let hardest = peaks.max()
    else {
      throw ExitError(
        "\(recording.path): it contains \(peaks.count) touches with pressure; record at least "
          + "\(LibinputProposal.requiredTouches), light and hard ones, each with one finger",
        .badData)
    }
    let span = Double(lightest) - Double(axis.minimum)
    let begin = max(
      Int64(axis.minimum) + Int64(span * LibinputProposal.beginPart), Int64(axis.minimum) + 1)
    let end =
      Int64(axis.minimum) + Int64(Double(begin - Int64(axis.minimum)) * LibinputProposal.endPart)
    let palm =
      Int64(axis.minimum)
      + Int64((Double(hardest) - Double(axis.minimum)) * LibinputProposal.palmPart)
    var entries = ["AttrPressureRange=\(begin):\(min(end, begin - 1))"]
    // A palm that no value can reach switches the detection off, which 0 states.
    entries.append("AttrPalmPressureThreshold=\(palm > Int64(axis.maximum) ? 0 : palm)")
    self.entries = entries
  }

  /// The highest pressure of each touch that begins and ends in the recording.
  private static func peaks(
    _ recording: Recording, _ surface: Surface, _ configuration: Configuration
  ) throws(ExitError) -> [Int32] {
    var engine = Engine(surface: surface, configuration: configuration)
    var output = EventBuffer()
    var current: [TrackingID: Int32] = [:]
    var peaks: [Int32] = []
    do throws(RecordingError) {
      while let event = try recording.next() {
        engine.receive(event, into: &output)
        for event in output.events {
          guard case .contact(let contact) = event.kind else { continue }
          if contact.phase == .ended, let peak = current[contact.id], peak > 0 {
            peaks.append(peak)
          }
          if contact.phase != .began { current[contact.id] = nil }
        }
        output.removeAll()
        guard event.code == .report else { continue }
        for contact in engine.contacts where contact.force.ratio > 0 {
          current[contact.id] = max(current[contact.id] ?? 0, contact.raw ?? 0)
        }
      }
    } catch {
      throw ExitError(error)
    }
    return peaks
  }

  /// The difference, after lines on how to apply and to reverse it.
  var lines: [String] {
    get throws(ExitError) {
      var present: [Substring] = []
      var isMissing = false
      do throws(AtomicFile.ReadError) {
        let bytes = try AtomicFile.read(LibinputProposal.path, limit: LibinputProposal.sizeLimit)
        present = String(decoding: bytes, as: UTF8.self).split(
          separator: "\n", omittingEmptySubsequences: false)
        if present.last?.isEmpty == true { present.removeLast() }
      } catch .missing {
        isMissing = true
      } catch {
        throw ExitError("cannot read \(LibinputProposal.path): \(error.reason)", .noInput)
      }
      let added = (present.isEmpty ? [] : [""]) + section
      let context = present.suffix(3)
      let start = isMissing || present.isEmpty ? 0 : present.count - context.count + 1
      let name = LibinputProposal.path.dropFirst()
      let place = present.count - context.count + 1
      return [
        "Nothing is changed. To apply it: pressured doctor --libinput FILE | sudo patch -p1 -d /",
        "(first sudo mkdir -p /etc/libinput). It is in force after the next login. The way back:",
        "the same with sudo patch -R -p1 -d /", "",
        isMissing ? "--- /dev/null" : "--- a/\(name)", "+++ b/\(name)",
        "@@ -\(start),\(context.count) +\(place),\(context.count + added.count) @@",
      ] + context.map { " \($0)" } + added.map { "+\($0)" }
    }
  }
}
