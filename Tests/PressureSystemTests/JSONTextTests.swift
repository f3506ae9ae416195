import FoundationEssentials
import PressureSystem
import Testing

/// Our encoder writes what Foundation's does.
struct JSONTextTests {
  private struct All: Codable, Equatable {
    var bool = true
    var int = -7
    var big = UInt64.max
    var double = 0.1
    var whole = 3.0
    var small = 1e-7
    var missing: Int?
    var text = "a/b \"c\" \\ \n\t\u{1}\u{7f} ä 😀"
    var list = [1, 2]
    var lists: [[Double]] = [[], [0.5]]
    var words = ["b": "x", "a": ""]
    var nested = ["k": [["deep": true]]]
  }

  @Test func `a value is decoded as it was`() throws {
    for isIndented in [false, true] {
      let text = JSONText.text(of: All(), isIndented: isIndented)
      #expect(try JSONDecoder().decode(All.self, from: Data(text.utf8)) == All())
      #expect(text.contains("\n") == isIndented)
    }
  }

  @Test func `the layout is Foundation's`() throws {
    struct Finding: Encodable {
      var steps = [1, 2]
      var name = "a/b"
      var parts = ["z": [true], "y": [false, true]]
    }
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    #expect(try text(Finding(), by: encoder) == JSONText.text(of: Finding(), isIndented: false))
    encoder.outputFormatting.insert(.prettyPrinted)
    #expect(try text(Finding(), by: encoder) == JSONText.text(of: Finding(), isIndented: true))
  }

  @Test func `names of properties are written as in the protocol if that is wanted`() {
    struct Finding: Encodable {
      var isForGroup = true
      var errorGrams = 1
      var issues = ["ABS_MT_X": 2]
    }
    let text = JSONText.text(of: [Finding()], isIndented: false, underscores: true)
    #expect(text == #"[{"error_grams":1,"for_group":true,"issues":{"ABS_MT_X":2}}]"#)
  }

  private func text(_ value: some Encodable, by encoder: JSONEncoder) throws -> String {
    String(decoding: try encoder.encode(value), as: UTF8.self)
  }

  @Test func `what a terminal interprets is escaped`() {
    let text = JSONText.text(of: ["a\u{1b}[1m\u{9b}\u{202e}\u{e0001}"], isIndented: false)
    #expect(text == #"["a\u001b[1m\u009b\u202e\udb40\udc01"]"#)
  }

  @Test func `a number has as many digits as its type needs`() throws {
    struct Numbers: Codable, Equatable {
      var float: Float = 0.1
      var large: Float = 1e20
      var double = 0.1
      var zero = -0.0
    }
    let text = JSONText.text(of: Numbers(), isIndented: false)
    #expect(text == #"{"double":0.1,"float":0.1,"large":1e+20,"zero":0}"#)
    #expect(try JSONDecoder().decode(Numbers.self, from: Data(text.utf8)) == Numbers())
  }

  @Test(arguments: [Double.nan, .infinity, -.infinity])
  func `a number that is not finite is null`(number: Double) {
    #expect(JSONText.text(of: [number], isIndented: false) == "[null]")
  }
}
