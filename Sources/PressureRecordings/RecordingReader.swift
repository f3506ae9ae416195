import PressureKit

/// One file format: a description when it is made, then events.
protocol RecordingReader: AnyObject {
  /// What the file says of its device; without axes where it says nothing.
  var description: DeviceDescription { get }

  /// The next event, nil at the end.
  func next() throws(RecordingError) -> InputEvent?

  /// A fault at the place of the event that `next` gave last.
  func fault(_ reason: String) -> RecordingError
}
