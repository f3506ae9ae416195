extension Frame {
  /// The force-weighted middle; where nothing presses, the middle of the places alone.
  package var center: Location? {
    let contacts = contacts.span
    guard !contacts.isEmpty else { return nil }
    var sum = 0.0
    for place in contacts.indices { sum += contacts[place].force.value }
    var (x, y) = (0.0, 0.0)
    for place in contacts.indices {
      let part = sum > 0 ? contacts[place].force.value / sum : 1 / Double(contacts.count)
      x += part * contacts[place].location.x
      y += part * contacts[place].location.y
    }
    return Location(x: x, y: y)
  }
}
