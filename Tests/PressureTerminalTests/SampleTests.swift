import Testing

@testable import PressureTerminal

struct SampleTests {
  private func samples(_ forces: [Double], every microseconds: Int64 = 10) -> [Sample] {
    forces.enumerated().map {
      Sample(time: Int64($0.offset) * microseconds, force: $0.element, x: 0, y: 0)
    }
  }

  @Test func `a span keeps its first, lightest, heaviest and last sample in order`() {
    let kept = samples([3, 2, 9, 1, 5, 4]).decimated(every: 1000)
    #expect(kept.map(\.force) == [3, 9, 1, 4])
    #expect(kept.map(\.time) == [0, 20, 30, 50])
  }

  @Test func `sparse and thinned samples are unchanged`() {
    let all = samples([1, 2, 3, 4, 5])
    #expect(all.decimated(every: 10) == all)
    #expect([Sample]().decimated(every: 10) == [])
    #expect(samples([7]).decimated(every: 1) == samples([7]))
    let once = samples((0..<5000).map { Double(($0 * 7919) % 101) }).decimated(every: 500)
    #expect(once.decimated(every: 500) == once)
  }

  @Test func `no peak is lost in recordings of any length`() {
    for place in [0, 1, 777, 54_321, 99_998, 99_999] {
      var forces = (0..<100_000).map { Double($0 % 7) }
      forces[place] = 100
      let kept = samples(forces).decimated(every: 10_000)
      #expect(kept.count <= 4 * 101)
      #expect(kept.contains { $0.force == 100 && $0.time == Int64(place) * 10 })
      #expect(kept.first?.time == 0 && kept.last?.time == 999_990)
    }
  }

  @Test func `a contact holds its last force until it ends`() {
    var contact = ContactTrace(number: 1, slot: 0, begin: 5)
    contact.add(Sample(time: 5, force: 1, x: 0, y: 0), grams: 10, isSaturated: false)
    contact.add(Sample(time: 9, force: 1, x: 0, y: 0), grams: 10, isSaturated: false)
    contact.add(Sample(time: 12, force: 4, x: 0, y: 0), grams: 40, isSaturated: true)
    contact.add(Sample(time: 20, force: 2, x: 0, y: 0), grams: 20, isSaturated: false)
    contact.end(at: 30, isCancelled: true)
    #expect(contact.samples.map(\.time) == [5, 12, 20, 30])
    #expect(contact.samples.map(\.force) == [1, 4, 2, 2])
    #expect((contact.begin, contact.end, contact.isCancelled) == (5, 30, true))
    #expect((contact.peak.time, contact.peakGrams, contact.isSaturated) == (12, 40, true))
  }

  private func intervals(_ contacts: [Int], _ lengths: [Int64]) -> [RecordingTrace.HeaviestInterval]
  {
    var time: Int64 = 0
    return zip(contacts, lengths).map { contact, length in
      defer { time += length }
      return RecordingTrace.HeaviestInterval(contact: contact, begin: time, end: time + length)
    }
  }

  @Test func `the longest interval of a span is kept, and neighbors are merged`() {
    let all = intervals([0, 1, 0, 1, 2, 1], [40, 30, 30, 100, 10, 90])
    #expect(
      all.merged(every: 100) == [
        RecordingTrace.HeaviestInterval(contact: 0, begin: 0, end: 100),
        RecordingTrace.HeaviestInterval(contact: 1, begin: 100, end: 300),
      ])
    #expect(all.merged(every: 1) == all)
    let many = intervals((0..<50_000).map { $0 % 2 }, [Int64](repeating: 10, count: 50_000))
    #expect(many.merged(every: 1000).count <= 500)
    #expect([RecordingTrace.HeaviestInterval]().merged(every: 1).isEmpty)
  }
}
