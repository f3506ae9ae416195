/// The presses of all contacts of a device, felt or made up.
///
///     contact begins ──▶ ForcePress, or SimulatedPress where the surface cannot feel ──▶ contact goes
///
/// Which of the two it is, and what is configured, is decided when the contact begins. Where one sensor
/// stands for all contacts, the oldest alone presses.
struct Presses {
  /// By slot: the press of who has it now.
  private var measured: [ForcePress?]
  private var simulated: [SimulatedPress?]

  /// The slots of those that are made up, in the order in which they came.
  private var simulatedSlots: [Int] = []

  /// When the first of them goes on by itself, or nil; kept, as it is asked for with every event.
  private(set) var deadline: Timestamp?

  init(slotCount: Int) {
    measured = Array(repeating: nil, count: slotCount)
    simulated = Array(repeating: nil, count: slotCount)
  }

  /// Follows all contacts through a frame.
  mutating func update(
    with frame: Frame, on surface: Surface, rules: TouchRules, into output: inout EventBuffer
  ) {
    if !frame.ended.isEmpty { endPresses(in: frame, into: &output) }
    if frame.hasBeginning {
      for contact in frame.contacts where contact.phase == .began {
        beginPress(of: contact, on: surface, rules: rules)
      }
    }
    Presses.updateAll(with: frame, on: surface, &measured, &simulated, into: &output)
    noteDeadline()
  }

  private static func updateAll(
    with frame: Frame, on surface: Surface, _ measured: inout [ForcePress?],
    _ simulated: inout [SimulatedPress?], into output: inout EventBuffer
  ) {
    let oldest = surface.isPerContact ? nil : frame.contacts.min { $0.order < $1.order }?.order
    let contacts = frame.contacts.span
    var measured = measured.mutableSpan
    var simulated = simulated.mutableSpan
    for index in contacts.indices {
      let (slot, order) = (contacts[index].slot, contacts[index].order)
      if measured[slot] == nil {
        simulated[slot]?.update(with: contacts[index], in: frame, into: &output)
      } else {
        let mayStart = order == oldest ?? order
        measured[slot]?.update(with: contacts[index], in: frame, mayStart: mayStart, into: &output)
      }
    }
  }

  /// Lets those speak whose deadline this is.
  mutating func deadlineReached(_ deadline: Timestamp, into output: inout EventBuffer) {
    for slot in simulatedSlots where simulated[slot]?.deadline == deadline {
      simulated[slot]?.deadlineReached(deadline, into: &output)
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

  private mutating func beginPress(of contact: Contact, on surface: Surface, rules: TouchRules) {
    if surface.simulatesPress {
      simulated[contact.slot] = SimulatedPress(of: contact, rules: rules, on: surface)
      simulatedSlots.append(contact.slot)
    } else {
      measured[contact.slot] = ForcePress(of: contact, rules: rules, on: surface)
    }
  }

  private mutating func endPresses(in frame: Frame, into output: inout EventBuffer) {
    for contact in frame.ended {
      let (slot, order) = (contact.slot, contact.order)
      // Who came and went in this very frame has never been followed.
      if measured[slot]?.order == order {
        measured[slot]?.contactEnded(contact, at: frame.time, into: &output)
        measured[slot] = nil
      } else if simulated[slot]?.order == order {
        simulated[slot]?.contactEnded(contact, at: frame.time, into: &output)
        simulated[slot] = nil
      }
    }
    simulatedSlots.removeAll { simulated[$0] == nil }
  }
}
