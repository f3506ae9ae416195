extension Frame {
  /// The force-weighted middle; where nothing presses, the middle of the places alone.
  var center: Location? {
    guard !contacts.isEmpty else { return nil }
    let sum = contacts.reduce(0) { $0 + $1.force.value }
    var x = 0.0
    var y = 0.0
    for contact in contacts {
      let part = sum > 0 ? contact.force.value / sum : 1 / Double(contacts.count)
      x += part * contact.location.x
      y += part * contact.location.y
    }
    return Location(x: x, y: y)
  }
}
