import Testing

@testable import PressureSettings

@Test func `the distance is the number of changed letters`() {
  #expect("".distance(to: "") == 0)
  #expect("".distance(to: "abc") == 3)
  #expect("kitten".distance(to: "sitting") == 3)
  #expect("Socket".distance(to: "socket") == 0)
}

@Test func `a distance above the limit is not computed`() {
  #expect("kitten".distance(to: "sitting", atMost: 3) == 3)
  #expect("kitten".distance(to: "sitting", atMost: 2) == nil)
  #expect("abcd".distance(to: "bacd", atMost: 1) == 1)
  #expect("hold".distance(to: "hold_ms", atMost: 2) == nil)
  #expect("socket".distance(to: "socket", atMost: 0) == 0)
}

@Test func `only a similar word is suggested`() {
  let words = ["socket", "press", "regions", "on"]
  #expect("scoket".nearest(among: words) == "socket")
  #expect("region".nearest(among: words) == "regions")
  #expect("o".nearest(among: words) == "on")
  #expect("weather".nearest(among: words) == nil)
  #expect("".nearest(among: words) == nil)
}
