import PressureTestSupport
import Testing

@testable import PressureKit

struct HeaviestTests {
  private static let law = Calibration.kernel(unitsPerGram: 1)

  private func contact(
    _ id: Int32, grams: Int32, order: Int, phase: Contact.Phase = .moved
  ) throws -> Contact {
    let time = Timestamp(microseconds: 0)
    var contact = Contact(slot: 0, id: try #require(TrackingID(id)), beganAt: time, order: order)
    contact.weight = Self.law.weight(raw: grams, ratio: 0)
    contact.phase = phase
    return contact
  }

  private func frame(_ contacts: [Contact]) -> Frame {
    var frame = Frame()
    frame.contacts = contacts
    return frame
  }

  @Test func `without weights there is no heaviest contact`() throws {
    var heaviest = Heaviest()
    var weightless = try contact(1, grams: 0, order: 1)
    weightless.weight = nil
    let change = heaviest.update(with: frame([weightless]))
    #expect(change == nil)
    #expect(heaviest.holder == nil)
  }

  @Test func `a change names the previous heaviest contact`() throws {
    var heaviest = Heaviest()
    let (old, new) = (try contact(1, grams: 50, order: 1), try contact(2, grams: 99, order: 2))
    let first = heaviest.update(with: frame([old]))
    #expect(first?.previous == nil)
    let second = heaviest.update(with: frame([old, new]))
    let change = try #require(second)
    #expect(change.holder?.id == new.id)
    #expect(change.previous == old.id)
    let third = heaviest.update(with: frame([]))
    let last = try #require(third)
    #expect(last.holder == nil)
    #expect(last.previous == new.id)
  }

  @Test func `a new contact with a reused ID is a change`() throws {
    var heaviest = Heaviest()
    _ = heaviest.update(with: frame([try contact(1, grams: 50, order: 1)]))
    let second = heaviest.update(with: frame([try contact(1, grams: 50, order: 2, phase: .began)]))
    let again = try #require(second)
    #expect(again.holder?.order == 2)
    #expect(again.previous == again.holder?.id)
  }

  /// Contacts begin, end and change their weight, often by less than the margin.
  private struct ContactSet {
    var random: TinyRandom
    var contacts: [Contact] = []
    private var contactCount: Int32 = 0

    init(seed: UInt64) {
      random = TinyRandom(seed: seed)
    }

    mutating func move() throws {
      contacts.removeAll { _ in random.below(20) == 0 }
      for index in contacts.indices {
        contacts[index].phase = .moved
        let grams = Int32(contacts[index].weight?.grams ?? 0) + Int32(random.below(7)) - 3
        contacts[index].weight = law.weight(raw: max(grams, 0), ratio: 0)
      }
      guard contacts.count < 10, random.below(4) == 0 else { return }
      contactCount += 1
      let id = try #require(TrackingID(contactCount))
      let time = Timestamp(microseconds: 0)
      var contact = Contact(slot: 0, id: id, beganAt: time, order: Int(contactCount))
      contact.weight = law.weight(raw: Int32(random.below(120)), ratio: 0)
      contacts.insert(contact, at: random.below(contacts.count + 1))
    }
  }

  @Test func `in ten thousand frames the heaviest contact never changes within the margin`()
    throws
  {
    var heaviest = Heaviest()
    var contactSet = ContactSet(seed: 385)
    var changes = 0
    for _ in 0..<10_000 {
      let former = heaviest.holder
      try contactSet.move()
      let change = heaviest.update(with: frame(contactSet.contacts))
      let holder = contactSet.contacts.first { $0.id == heaviest.holder }
      #expect(
        (holder == nil) == contactSet.contacts.isEmpty,
        "there is a heaviest contact if there is any contact")
      #expect((change != nil) == (former != heaviest.holder))
      changes += change == nil ? 0 : 1
      guard let holder, let grams = holder.weight?.grams else { continue }
      let most = contactSet.contacts.compactMap(\.weight?.grams).max() ?? 0
      if let former = contactSet.contacts.first(where: { $0.id == former }), let had = former.weight
      {
        let lead = max(Heaviest.marginRatio * had.grams, Heaviest.marginGrams)
        #expect(former.id == holder.id ? most <= had.grams + lead : grams > had.grams + lead)
      } else {
        #expect(grams == most, "a successor is the heaviest")
        let older = contactSet.contacts.filter {
          $0.weight == holder.weight && $0.order < holder.order
        }
        #expect(older.isEmpty, "of equal candidates the oldest is chosen")
      }
    }
    #expect(changes > 1000, "the test needs changes to be meaningful")
  }
}
