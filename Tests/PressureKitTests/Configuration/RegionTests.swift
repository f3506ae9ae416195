import PressureKit
import Testing

@Test func `a region includes its edges`() throws {
  let region = try Region(name: "middle", x: 0.25, y: 0.25, width: 0.5, height: 0.5)
  #expect(region.contains(x: 0.25, y: 0.75))
  #expect(region.contains(x: 0.5, y: 0.5))
  #expect(!region.contains(x: 0.24, y: 0.5))
  #expect(!region.contains(x: 0.5, y: 0.76))
}

@Test func `a region may end at the surface's edge despite rounding`() throws {
  for start in stride(from: 0.0, to: 1.0, by: 0.01) {
    _ = try Region(name: "rest", x: start, y: 0, width: 1 - start, height: 1)
  }
  _ = try Region(name: "tenths", x: 0.7, y: 0.1 + 0.2, width: 0.3, height: 0.7)
}

@Test func `an empty region or one beyond the surface is rejected`() {
  let wide = #expect(throws: InconsistentValuesError.self) {
    try Region(name: "wide", x: 0.6, y: 0, width: 0.5, height: 1)
  }
  #expect(wide?.setting == "width")
  #expect(wide?.reason == "x (0.6) plus width (0.5) must not exceed 1")
  let flat = #expect(throws: InconsistentValuesError.self) {
    try Region(name: "flat", x: 0, y: 0, width: 1, height: 0)
  }
  #expect(flat?.setting == "height")
  #expect(flat?.reason == "y (0) must be 0 or more and height (0) above 0")
  #expect(throws: InconsistentValuesError.self) {
    try Region(name: "nowhere", x: .nan, y: 0, width: 1, height: .infinity)
  }
}
