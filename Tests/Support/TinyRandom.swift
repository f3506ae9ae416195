internal import Glibc

/// How many random inputs a test tries: as many as a statement about them needs, which takes minutes without optimization, or
/// a few, which are enough to notice a change; PRESSURED_THOROUGH selects all.
package func trials(_ count: Int, few: Int) -> Int {
  getenv("PRESSURED_THOROUGH") == nil ? few : count
}

/// Reproducible random numbers (SplitMix64).
package struct TinyRandom: RandomNumberGenerator {
  private var state: UInt64

  package init(seed: UInt64) {
    state = seed
  }

  package mutating func next() -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xbf58_476d_1ce4_e5b9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
    return mixed ^ (mixed >> 31)
  }

  /// 0 or more, and less than the limit.
  package mutating func below(_ limit: Int) -> Int { Int(next() % UInt64(limit)) }

  /// 0 or more, and less than 1.
  package var fraction: Double {
    mutating get { Double(next() >> 11) / Double(1 << 53) }
  }
}
