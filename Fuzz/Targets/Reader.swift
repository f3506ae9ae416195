@testable import PressureConnection
@testable import PressureProtocol
@testable import PressureTerminal

/// The corpus costs at most 50 steps a byte.
private let work = Work(perByte: 300)

/// What a daemon may send, as clients of ours read it: `watch`, whose picture is made of it, and its table.
func fuzzReader(_ bytes: UnsafeBufferPointer<UInt8>) {
  var scene = WatchViewModel()
  let rows = work.hold(bytes.count, "reader") {
    var rows = 0
    for line in bytes.split(separator: UInt8(ascii: "\n")) {
      let event = ReceivedEvent(line: Array(line))
      scene.hear(event)
      rows += TableRow.rows(of: event) { _ in false }.count
    }
    return rows
  }
  require(rows <= bytes.count, "a table has no more rows than the line has values")
  require(scene.devices.count <= bytes.count, "each device has a line")
  if let device = scene.device {
    let picture = work.hold(bytes.count, "picture") { SurfaceDrawing(device) }
    require(picture.circles.count <= bytes.count, "each circle has a contact")
  }
}
