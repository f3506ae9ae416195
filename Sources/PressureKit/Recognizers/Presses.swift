/// The presses of all contacts of a device, felt or made up.
///
///     contact begins ──▶ ForcePress, or SimulatedPress where the surface cannot feel ──▶ contact goes
///
/// Which of the two it is, and what is configured, is decided when the contact begins. Where one sensor
/// stands for all contacts, the oldest alone presses.
struct Presses {
  private var felt: [ForcePress] = []
  private var simulated: [SimulatedPress] = []

  /// When the first of them goes on by itself, or nil; kept, as it is asked for with every event.
  private(set) var deadline: Timestamp?

  /// Follows all contacts through a frame.
  mutating func see(
    _ frame: Frame, on surface: Surface, rules: TouchRules, into output: inout EventBuffer
  ) {
    for contact in frame.gone { part(with: contact, at: frame.time, into: &output) }
    let oldest = surface.isPerContact ? nil : frame.contacts.min { $0.order < $1.order }?.order
    for contact in frame.contacts {
      if contact.phase == .began { take(contact, on: surface, rules: rules) }
      if let place = felt.firstIndex(where: { $0.order == contact.order }) {
        let mayStart = contact.order == oldest ?? contact.order
        felt[place].see(contact, in: frame, mayStart: mayStart, into: &output)
      } else if let place = simulated.firstIndex(where: { $0.order == contact.order }) {
        simulated[place].see(contact, in: frame, into: &output)
      }
    }
    noteDeadline()
  }

  /// Lets those speak whose deadline this is.
  mutating func pass(_ deadline: Timestamp, into output: inout EventBuffer) {
    for place in simulated.indices where simulated[place].deadline == deadline {
      simulated[place].pass(deadline, into: &output)
    }
    noteDeadline()
  }

  private mutating func noteDeadline() {
    deadline = simulated.lazy.compactMap(\.deadline).min()
  }

  private mutating func take(_ contact: Contact, on surface: Surface, rules: TouchRules) {
    if surface.simulatesPress {
      simulated.append(SimulatedPress(of: contact, rules: rules, on: surface))
    } else {
      felt.append(ForcePress(of: contact, rules: rules, on: surface))
    }
  }

  private mutating func part(
    with contact: Contact, at time: Timestamp, into output: inout EventBuffer
  ) {
    if let place = felt.firstIndex(where: { $0.order == contact.order }) {
      felt[place].part(with: contact, at: time, into: &output)
      felt.remove(at: place)
    } else if let place = simulated.firstIndex(where: { $0.order == contact.order }) {
      simulated[place].part(with: contact, at: time, into: &output)
      simulated.remove(at: place)
    }
  }
}
