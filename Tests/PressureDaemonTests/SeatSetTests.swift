import Testing

@testable import PressureDaemon

@Test func `each seat has a number, up to the limit`() {
  var names = SeatNames()
  let first = names.set(of: "seat0")
  let others = (1..<SeatNames.maximum).map { names.set(of: "seat\($0)") }
  #expect(Set(others.map(\.rawValue)).count == SeatNames.maximum - 1)
  #expect(others.allSatisfy { $0.isDisjoint(with: first) && !$0.contains(.unnumbered) })
  #expect(names.set(of: "seat5") == others[4])
  // Devices of further seats are only for clients that hear all seats.
  for name in ["one-too-many", "two-too-many"] {
    #expect(names.set(of: name) == .unnumbered)
    #expect(names.set(of: name).isSubset(of: .all))
  }
  #expect(names.names(in: first.union(others[1])) == ["seat0", "seat2"])
  #expect(names.names(in: .all).count == SeatNames.maximum)
}
