/// Counts work across requests, turns and deliveries, and has the devices read ahead in time.
///
/// Exclusivity checks are off: it is used for each client and batch, and `readAhead` does not count work.
final class WorkMeter {
  /// How much work is done between two reads of the devices: it takes a small part of the time in which the kernel's
  /// queue overflows, even if memory is slow or output must be queued.
  private static let readAheadInterval = 128 << 10

  /// Work done so far, in bytes or what takes as long as a byte.
  @exclusivity(unchecked) private(set) var total = 0

  /// The value of `total` when devices were last read ahead.
  @exclusivity(unchecked) private var totalAtReadAhead = 0

  private let readAhead: () -> Void

  /// Creates a meter that calls `readAhead` after each interval.
  init(readAhead: @escaping () -> Void) {
    self.readAhead = readAhead
  }

  /// Counts work.
  func count(_ cost: Int) {
    total &+= cost
    guard total &- totalAtReadAhead > WorkMeter.readAheadInterval else { return }
    readAhead()
    totalAtReadAhead = total
  }
}
