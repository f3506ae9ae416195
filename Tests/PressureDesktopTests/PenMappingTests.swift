import Glibc
import PressureSettings
import PressureTestSupport
import Testing

@testable import PressureDesktop

struct PenMappingTests {
  private static let pad = PenArea(x: 0, y: 0, width: 100, height: 60)

  private func mapping(
    aspect: Double? = nil, _ rotation: PenRotation = .none, area: PenArea = pad,
    mode: PenMapping.Mode = .absolute
  ) -> PenMapping {
    PenMapping(area: area, aspect: aspect, rotation: rotation, mode: mode)
  }

  private func position(_ mapping: PenMapping, _ x: Double, _ y: Double) -> [Int32] {
    var mapping = mapping
    mapping.begin(at: PenPoint(x: x, y: y))
    return [mapping.x, mapping.y]
  }

  @Test func `the whole pad is the whole range, in millimeters`() {
    let whole = mapping()
    #expect([whole.maximumX, whole.maximumY] == [20_000, 12_000])
    #expect(position(whole, 0, 0) == [0, 0])
    #expect(position(whole, 100, 60) == [20_000, 12_000])
    #expect(position(whole, 25.01, 30) == [5002, 6000])
  }

  @Test func `the aspect of the screen is kept, in the middle of the pad`() {
    let wide = mapping(aspect: 2)
    #expect([wide.maximumX, wide.maximumY] == [20_000, 10_000])
    #expect(position(wide, 0, 5) == [0, 0])
    let tall = mapping(aspect: 1)
    #expect([tall.maximumX, tall.maximumY] == [12_000, 12_000])
    #expect(position(tall, 20, 0) == [0, 0])
    // A circle stays a circle.
    #expect(position(tall, 30, 10) == [2000, 2000])
    let turned = mapping(aspect: 2, .quarter)
    #expect([turned.maximumX, turned.maximumY] == [12_000, 6000])
  }

  @Test(arguments: [
    (PenRotation.none, [4000, 2000] as [Int32]), (.quarter, [10_000, 4000]),
    (.half, [16_000, 10_000]), (.threeQuarters, [2000, 16_000]),
  ])
  func `a rotation turns clockwise`(rotation: PenRotation, expected: [Int32]) {
    let turned = mapping(rotation)
    #expect(
      [turned.maximumX, turned.maximumY]
        == (rotation.isSideways ? [12_000, 20_000] : [20_000, 12_000]))
    #expect(position(turned, 20, 10) == expected)
  }

  @Test func `positions beside the area are those at its edge`() {
    let part = mapping(area: PenArea(x: 20, y: 10, width: 60, height: 40))
    #expect(position(part, 20, 10) == [0, 0])
    #expect(position(part, 0, 60) == [0, 8000])
    #expect(part.accepts(PenPoint(x: 18.5, y: 10)))
    #expect(!part.accepts(PenPoint(x: 17, y: 10)))
  }

  @Test func `relative positions continue where the last contact ended`() {
    var relative = mapping(mode: .relative(speed: 1))
    #expect([relative.maximumX, relative.maximumY] == [40_000, 24_000])
    #expect([relative.x, relative.y] == [20_000, 12_000])
    relative.begin(at: PenPoint(x: 90, y: 50))
    #expect([relative.x, relative.y] == [20_000, 12_000])
    relative.move(to: PenPoint(x: 80, y: 55))
    #expect([relative.x, relative.y] == [18_000, 13_000])
    relative.begin(at: PenPoint(x: 10, y: 10))
    #expect([relative.x, relative.y] == [18_000, 13_000])
    relative.move(to: PenPoint(x: 11, y: 10))
    #expect([relative.x, relative.y] == [18_200, 13_000])
    for _ in 0..<10 {
      relative.begin(at: PenPoint(x: 0, y: 0))
      relative.move(to: PenPoint(x: 100, y: 60))
    }
    #expect([relative.x, relative.y] == [40_000, 24_000])
  }

  @Test func `speed multiplies relative movements, and any place accepts a contact`() {
    var relative = mapping(.quarter, mode: .relative(speed: 2))
    let start = [relative.x, relative.y]
    relative.begin(at: PenPoint(x: 10, y: 10))
    relative.move(to: PenPoint(x: 11, y: 10))
    #expect([relative.x, relative.y] == [start[0], start[1] + 400])
    #expect(relative.accepts(PenPoint(x: -5, y: 500)))
  }

  @Test func `an area is a size, with or without a position`() {
    #expect(
      PenAreaArgument("80x50")?.area(on: Self.pad) == PenArea(x: 10, y: 5, width: 80, height: 50))
    #expect(
      PenAreaArgument("80x50+0+10")?.area(on: Self.pad)
        == PenArea(x: 0, y: 10, width: 80, height: 50))
    #expect(PenAreaArgument("80x50+30+0")?.area(on: Self.pad) == nil)
    #expect(PenAreaArgument("101x50")?.area(on: Self.pad) == nil)
    for text in [
      "", "x", "80", "80x", "80x50+1", "80x50+1+2+3", "80x50+a+b", "0x50", "-80x50", "nanx5",
      "80x50+-1+0", "infx5", "80x50x1",
    ] {
      #expect(PenAreaArgument(text) == nil, "\(text)")
    }
  }

  @Test func `small pads are not for absolute positions`() {
    #expect(PenMapping.isLargeEnough(Self.pad))
    #expect(!PenMapping.isLargeEnough(PenArea(x: 0, y: 0, width: 65, height: 38)))
  }

  @Test func `the shape of a screen`() throws {
    #expect(ScreenShape.aspect("16:10") == 1.6)
    for text in [
      "", "16", "0:1", "1:0", "-16:9", "16:9:1", "nan:1", "1:1000", "16:9foo", "1920x1080i",
      "16: 9",
    ] {
      #expect(ScreenShape.aspect(text) == nil, "\(text)")
    }
    #expect(ScreenShape.inUse(in: "/nonexistent") == nil)
  }

  @Test func `the screen is the one in use, a built-in one first`() throws {
    let folder = "/tmp/pressured-screens-\(getpid())"
    defer { Files.removeAll(folder) }
    func plug(_ name: String, _ status: String, _ enabled: String, _ modes: String) throws {
      let path = "\(folder)/\(name)"
      try AtomicFile.createFolders(path)
      for (file, text) in [("status", status), ("enabled", enabled), ("modes", modes)] {
        try Files.write((text + "\n").utf8, to: "\(path)/\(file)")
      }
    }
    try plug("version", "", "", "")
    try plug("card0-HDMI-A-1", "disconnected", "disabled", "")
    #expect(ScreenShape.inUse(in: folder) == nil)
    try plug("card1-DP-2", "connected", "enabled", "2560x1080\n1920x1080")
    // Its lid is closed.
    try plug("card1-eDP-1", "connected", "disabled", "1920x1200")
    let outer = try #require(ScreenShape.inUse(in: folder))
    #expect(outer.connector == "DP-2" && outer.mode == "2560x1080" && outer.aspect == 2560.0 / 1080)
    try plug("card1-eDP-1", "connected", "enabled", "1920x1200")
    #expect(ScreenShape.inUse(in: folder)?.connector == "eDP-1")
    try plug("card1-eDP-1", "connected", "enabled", "1920x1080i")
    #expect(ScreenShape.inUse(in: folder)?.aspect == 16.0 / 9)
    // A mode without a size.
    try plug("card1-eDP-1", "connected", "enabled", "native")
    #expect(ScreenShape.inUse(in: folder)?.connector == "DP-2")
  }
}
