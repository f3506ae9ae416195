@testable import PressureClient
@testable import PressureProtocol
@testable import PressureTerminal

/// The corpus costs at most 50 steps per byte.
private let work = Work(perByte: 300)

/// Lines of a daemon as `watch` reads them, for its drawing and for its table.
func fuzzReader(_ bytes: UnsafeBufferPointer<UInt8>) {
  var model = WatchViewModel()
  let rows = work.hold(bytes.count, "reader") {
    var rows = 0
    for line in bytes.split(separator: UInt8(ascii: "\n")) {
      let event = ReceivedEvent(line: Array(line))
      model.update(with: event)
      rows += TableRow.rows(of: event) { _ in false }.count
    }
    return rows
  }
  require(rows <= bytes.count, "a table has no more rows than the line has values")
  require(model.devices.count <= bytes.count, "each device has a line")
  if let device = model.device {
    let picture = work.hold(bytes.count, "picture") { SurfaceDrawing(device) }
    require(picture.circles.count <= bytes.count, "each circle has a contact")
  }
}
