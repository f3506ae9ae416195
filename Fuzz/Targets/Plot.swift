@testable import PressureKit
@testable import PressureRecordings
@testable import PressureTerminal

private let file = MemoryFile()

/// The corpus costs at most 550 steps per byte, one-time initialization included.
private let work = Work(perByte: 600, base: 500_000)

/// A recording as `pressured plot` draws it: the cost is linear in the size of any input.
func fuzzPlot(_ bytes: UnsafeBufferPointer<UInt8>) {
  file.write(bytes)
  guard let recording = try? Recording(path: file.path),
    let surface = try? Surface(recording.description)
  else { return }
  let text = work.hold(bytes.count, "plot") {
    let (model, _) = PlotModel.read(recording, surface, Configuration())
    return model.trace.contacts.isEmpty ? "" : RecordingPage(model).drawing.svg
  }
  require(text.isEmpty || text.hasSuffix("</svg>\n"), "a drawing is complete")
  require(!text.utf8.contains { $0 < 0x20 && $0 != 0x0a }, "a drawing has no control characters")
}
