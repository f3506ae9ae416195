@testable import PressureKit
@testable import pressured

/// The corpus costs at most 50 steps a byte.
private let work = Work(perByte: 300)

/// What a daemon may send, as clients of ours read it: `watch`, whose picture is made of it, and its table.
@_cdecl("LLVMFuzzerTestOneInput")
public func tryReader(_ start: UnsafePointer<UInt8>?, _ count: Int) -> Int32 {
  let bytes = UnsafeBufferPointer(start: start, count: count)
  var scene = WatchViewModel()
  let rows = work.hold(count, "reader") {
    var rows = 0
    for line in bytes.split(separator: UInt8(ascii: "\n")) {
      let event = ReceivedEvent(line: Array(line))
      scene.hear(event)
      rows += TableRow.rows(of: event) { _ in false }.count
    }
    return rows
  }
  require(rows <= count, "a table has no more rows than the line has values")
  require(scene.devices.count <= count, "each device has a line")
  if let device = scene.device {
    let picture = work.hold(count, "picture") { SurfaceDrawing(device) }
    require(picture.circles.count <= count, "each circle has a contact")
  }
  return 0
}
