import CFuzz
import Glibc
import PressureSystem

/// A limit on the work that an input causes, in counted steps per byte and not in time.
///
/// A step is a comparison in code of this package; an allocation counts as sixteen, as does filling 256
/// bytes. Quadratic cost exceeds the limit long before it takes a second. Comparisons inside the standard
/// library are not counted.
struct Work {
  /// Steps for each byte of an input.
  let perByte: UInt64

  /// Steps for the shortest input, mostly one-time initialization.
  let base: UInt64

  init(perByte: UInt64, base: UInt64 = 200_000) {
    self.perByte = perByte
    self.base = base
  }

  /// Performs an operation on `count` bytes of input and checks its work.
  func hold<Result>(_ count: Int, _ name: String, _ body: () -> Result) -> Result {
    let begun = fuzz_work()
    let result = body()
    hold(fuzz_work() &- begun, count, name)
    return result
  }

  /// Checks work that was measured in parts.
  func hold(_ meter: Meter, _ count: Int, _ name: String) {
    hold(meter.steps, count, name)
  }

  private func hold(_ steps: UInt64, _ count: Int, _ name: String) {
    Work.note(steps, count, name)
    require(
      steps <= base + perByte * UInt64(count),
      "\(name) takes \(steps) steps for \(count) bytes; \(perByte) a byte and \(base) are allowed")
  }

  /// Sums the work of parts, without what happens between them.
  struct Meter {
    private(set) var steps: UInt64 = 0

    mutating func count<Result, ExitError: Error>(
      _ body: () throws(ExitError) -> Result
    ) throws(ExitError) -> Result {
      let begun = fuzz_work()
      defer { steps += fuzz_work() &- begun }
      return try body()
    }
  }
}

extension Work {
  /// Repeats a part of the input up to `size` bytes: nesting and repetition can be expensive, but they reach
  /// no new code, so that the fuzzer does not explore them.
  ///
  /// If the input has brackets, a pair of them is nested into itself, as unbalanced ones are rejected at once.
  /// The choice depends only on the input.
  static func grown(_ input: [UInt8], to size: Int) -> [UInt8] {
    guard input.count > 1, input.count < size else { return input }
    let sum = input.reduce(5381) { ($0 &* 33) ^ Int($1) } & .max
    let pairs = brackets(of: input)
    if !pairs.isEmpty, sum % 8 != 0 {
      let outer = pairs[sum / 8 % pairs.count]
      let inner = pairs.filter { outer.contains($0.lowerBound) && $0 != outer }
      // A pair within it, or else its contents.
      let core =
        inner.isEmpty
        ? outer.lowerBound + 1..<outer.upperBound - 1 : inner[sum / 64 % inner.count]
      let opening = input[outer.lowerBound..<core.lowerBound]
      let closing = input[core.upperBound..<outer.upperBound]
      let rounds = (size - input.count) / (opening.count + closing.count)
      return input[..<outer.lowerBound] + repeated(opening, rounds + 1)
        + input[core] + repeated(closing, rounds + 1) + input[outer.upperBound...]
    }
    let start = sum % input.count
    let length = 1 + (sum / input.count) % min(8, input.count - start)
    let part = input[start..<start + length]
    let rounds = (size - input.count) / length
    return input[..<start] + repeated(part, rounds + 1) + input[(start + length)...]
  }

  private static func repeated(_ part: ArraySlice<UInt8>, _ count: Int) -> [UInt8] {
    Array(repeatElement(part, count: count).joined())
  }

  /// The ranges of matching brackets, both included.
  private static func brackets(of input: [UInt8]) -> [Range<Int>] {
    var open: [Int] = []
    var pairs: [Range<Int>] = []
    for (place, byte) in input.enumerated() {
      switch byte {
      case UInt8(ascii: "["), UInt8(ascii: "{"): open.append(place)
      case UInt8(ascii: "]"), UInt8(ascii: "}"):
        if let begin = open.popLast() { pairs.append(begin..<place + 1) }
      default: break
      }
    }
    return pairs
  }

  /// Whether to print the cost of each input, from which limits are chosen: FUZZ_WORK=1.
  private static let isPrinting = getenv("FUZZ_WORK") != nil

  private static func note(_ steps: UInt64, _ count: Int, _ name: String) {
    guard isPrinting else { return }
    var line = "work: \(name) \(count) bytes \(steps) steps\n"
    line.withUTF8 { _ = write(STDERR_FILENO, $0.baseAddress, $0.count) }
  }
}
