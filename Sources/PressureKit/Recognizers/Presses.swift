/// The presses of all contacts of a device, felt or made up.
///
///     contact begins ──▶ ForcePress, or SimulatedPress where the surface cannot feel ──▶ contact goes
///
/// Which of the two it is, and what is configured, is decided when the contact begins. Where one sensor
/// stands for all contacts, the oldest alone presses.
struct Presses {
  /// By slot: the press of who has it now.
  private var felt: [ForcePress?]
  private var simulated: [SimulatedPress?]

  /// The slots of those that are made up, in the order in which they came.
  private var simulatedSlots: [Int] = []

  /// When the first of them goes on by itself, or nil; kept, as it is asked for with every event.
  private(set) var deadline: Timestamp?

  init(slotCount: Int) {
    felt = Array(repeating: nil, count: slotCount)
    simulated = Array(repeating: nil, count: slotCount)
  }

  /// Follows all contacts through a frame.
  mutating func see(
    _ frame: Frame, on surface: Surface, rules: TouchRules, into output: inout EventBuffer
  ) {
    if !frame.gone.isEmpty { partWithGone(of: frame, into: &output) }
    if frame.hasBeginning {
      for contact in frame.contacts where contact.phase == .began {
        take(contact, on: surface, rules: rules)
      }
    }
    Presses.follow(frame, on: surface, &felt, &simulated, into: &output)
    noteDeadline()
  }

  private static func follow(
    _ frame: Frame, on surface: Surface, _ felt: inout [ForcePress?],
    _ simulated: inout [SimulatedPress?], into output: inout EventBuffer
  ) {
    let oldest = surface.isPerContact ? nil : frame.contacts.min { $0.order < $1.order }?.order
    let contacts = frame.contacts.span
    var felt = felt.mutableSpan
    var simulated = simulated.mutableSpan
    for place in contacts.indices {
      let (slot, order) = (contacts[place].slot, contacts[place].order)
      if felt[slot] == nil {
        simulated[slot]?.see(contacts[place], in: frame, into: &output)
      } else {
        let mayStart = order == oldest ?? order
        felt[slot]?.see(contacts[place], in: frame, mayStart: mayStart, into: &output)
      }
    }
  }

  /// Lets those speak whose deadline this is.
  mutating func pass(_ deadline: Timestamp, into output: inout EventBuffer) {
    for slot in simulatedSlots where simulated[slot]?.deadline == deadline {
      simulated[slot]?.pass(deadline, into: &output)
    }
    noteDeadline()
  }

  private mutating func noteDeadline() {
    guard !simulatedSlots.isEmpty || deadline != nil else { return }
    deadline = nil
    for slot in simulatedSlots {
      guard let next = simulated[slot]?.deadline else { continue }
      deadline = min(next, deadline ?? next)
    }
  }

  private mutating func take(_ contact: Contact, on surface: Surface, rules: TouchRules) {
    if surface.simulatesPress {
      simulated[contact.slot] = SimulatedPress(of: contact, rules: rules, on: surface)
      simulatedSlots.append(contact.slot)
    } else {
      felt[contact.slot] = ForcePress(of: contact, rules: rules, on: surface)
    }
  }

  private mutating func partWithGone(of frame: Frame, into output: inout EventBuffer) {
    for contact in frame.gone {
      let (slot, order) = (contact.slot, contact.order)
      // Who came and went in this very frame has never been followed.
      if felt[slot]?.order == order {
        felt[slot]?.part(with: contact, at: frame.time, into: &output)
        felt[slot] = nil
      } else if simulated[slot]?.order == order {
        simulated[slot]?.part(with: contact, at: frame.time, into: &output)
        simulated[slot] = nil
      }
    }
    simulatedSlots.removeAll { simulated[$0] == nil }
  }
}
