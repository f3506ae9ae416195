import CFuzz
import Glibc

/// The law of work: no input costs more than so much for each of its bytes, in steps that are counted and
/// not in time.
///
/// A step is a comparison in our code; an allocation counts as sixteen, as does filling 256 bytes. A cost
/// that grows with the square of the input breaks the law long before it takes a second. What the
/// standard library compares within itself is not counted.
struct Work {
  /// Steps for each byte of an input.
  let perByte: UInt64

  /// Steps for the shortest input, above all what is made once.
  let base: UInt64

  init(perByte: UInt64, base: UInt64 = 200_000) {
    self.perByte = perByte
    self.base = base
  }

  /// Does something with so many bytes of input, and holds it to the law.
  func hold<Result>(_ count: Int, _ name: String, _ body: () -> Result) -> Result {
    let begun = fuzz_work()
    let result = body()
    hold(fuzz_work() &- begun, count, name)
    return result
  }

  /// The same for work that is done in parts.
  func hold(_ meter: Meter, _ count: Int, _ name: String) {
    hold(meter.steps, count, name)
  }

  private func hold(_ steps: UInt64, _ count: Int, _ name: String) {
    Work.note(steps, count, name)
    require(
      steps <= base + perByte * UInt64(count),
      "\(name) takes \(steps) steps for \(count) bytes; \(perByte) a byte and \(base) are allowed")
  }

  /// Counts the work of parts, and not of what is done between them.
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
  /// The same input with a part of it repeated up to so many bytes, as a stranger makes an input dear: nesting
  /// and repetition reach nothing new in the code, so that a fuzzer has no reason to go on with them.
  ///
  /// Where there are brackets, a pair of them is nested into itself, as what does not close is refused at once.
  /// Which part or pair it is, is decided by the input alone.
  static func grown(_ input: [UInt8], to size: Int) -> [UInt8] {
    guard input.count > 1, input.count < size else { return input }
    let sum = input.reduce(5381) { ($0 &* 33) ^ Int($1) } & .max
    let pairs = brackets(of: input)
    if !pairs.isEmpty, sum % 8 != 0 {
      let outer = pairs[sum / 8 % pairs.count]
      let inner = pairs.filter { outer.contains($0.lowerBound) && $0 != outer }
      // A pair within it, or else the place behind its opening.
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

  /// The places of brackets that belong together, from the opening to behind the closing.
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

  /// Whether to print what each input costs, by which the limits were chosen: FUZZ_WORK=1.
  private static let isPrinting = getenv("FUZZ_WORK") != nil

  private static func note(_ steps: UInt64, _ count: Int, _ name: String) {
    guard isPrinting else { return }
    var line = "work: \(name) \(count) bytes \(steps) steps\n"
    line.withUTF8 { _ = write(STDERR_FILENO, $0.baseAddress, $0.count) }
  }
}
