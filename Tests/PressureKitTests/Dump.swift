import FoundationEssentials
import PressureTestSupport

@testable import PressureKit
@testable import PressureProtocol

/// A parser for the subset of evemu's format that the tests' recordings use.
struct Dump {
  static let folder = Folder.ofTests + "/PressureKitTests/Recordings/"

  private(set) var description = DeviceDescription()
  private(set) var events: [InputEvent] = []

  init(_ name: String) throws {
    let text = try String(contentsOfFile: Dump.folder + name, encoding: .utf8)
    var isComment = true
    var properties: [UInt8] = []
    var keys: [UInt8] = []
    for line in text.split(separator: "\n") {
      isComment = line.hasPrefix("#")
      let words = line.split(separator: " ").dropFirst()
      switch line.prefix(2) {
      case "N:": description.name = String(line.dropFirst(3))
      case "P:": properties += words.compactMap { UInt8($0, radix: 16) }
      case "B:" where words.first == "01":
        keys += words.dropFirst().compactMap { UInt8($0, radix: 16) }
      case "A:": try add(axis: words.map(String.init))
      case "E:": try add(event: words.map(String.init))
      case "I:", "B:": break
      default: if !isComment { throw WordError(description: "\(line) is no line of evemu") }
      }
    }
    description.properties = Dump.numbers(of: properties)
    description.keys = Dump.numbers(of: keys)
  }

  /// The numbers of the bits that are set.
  private static func numbers(of bytes: [UInt8]) -> Set<UInt16> {
    var numbers: Set<UInt16> = []
    for (index, byte) in bytes.enumerated() {
      for bit in 0..<8 where byte & (1 << bit) != 0 { numbers.insert(UInt16(index * 8 + bit)) }
    }
    return numbers
  }

  private mutating func add(axis words: [String]) throws {
    guard words.count == 6, let code = UInt16(words[0], radix: 16), let minimum = Int32(words[1]),
      let maximum = Int32(words[2]), let resolution = Int32(words[5])
    else { throw WordError(description: "\(words) is no axis") }
    description.axes[code] = Axis(minimum: minimum, maximum: maximum, resolution: resolution)
  }

  private mutating func add(event words: [String]) throws {
    guard words.count == 4, let time = Int64(words[0].filter { $0 != "." }),
      words[0].split(separator: ".").last?.count == 6, let type = UInt16(words[1], radix: 16),
      let code = UInt16(words[2], radix: 16), let value = Int32(words[3])
    else { throw WordError(description: "\(words) is no event") }
    let moment = Timestamp(microseconds: time)
    events.append(InputEvent(time: moment, code: EventCode(type: type, code: code), value: value))
  }
}
