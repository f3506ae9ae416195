@testable import PressureKit

/// A device, its configuration, and all operations of an engine, in any order and at any time.
func fuzzEngine(_ bytes: UnsafeBufferPointer<UInt8>) {
  var feed = Feed(bytes)
  let description = feed.description()
  let configuration = feed.configuration()
  let settings = configuration.settings(for: DeviceID(description).text)
  guard let surface = try? Surface(description, settings: settings) else { return }
  var trial = Trial(surface, configuration)
  var time = Timestamp(microseconds: 0)
  while !feed.isEmpty {
    let step = feed.byte()
    let (what, size) = (Int(step & 31), Int(step >> 5))
    switch what {
    case ...Feed.codeCount: trial.receive(feed.event(what, size: size, at: time))
    case 22: time.microseconds &+= Int64(feed.byte()) * 1000
    case 23: time.microseconds &+= Int64(feed.word()) * 1000
    case 24 where size == 7: time.microseconds &+= feed.long()
    case 24, 25: time.microseconds &+= Int64(feed.byte())
    case 26, 27: trial.advance(to: time)
    case 28, 29: trial.perform(feed.scaleRequest(), at: time)
    case 30:
      if let axis = surface.pressure?.axis, let fit = feed.fit(axis) {
        trial.calibrate(by: fit, at: time)
      }
    case 31 where size < 4: trial.cancelAll(at: time)
    default: trial.configure(feed.configuration(), at: time)
    }
  }
  trial.cancelAll(at: time)
}
