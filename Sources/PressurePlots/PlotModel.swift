package import PressureKit
package import PressureRecordings
internal import PressureSystem

/// A recording that is to be drawn: its device, and what was heard of it.
package struct PlotModel {
  package let device: DeviceID
  package let surface: Surface
  package let trace: RecordingTrace

  /// The stages that its presses climb.
  package let stages: [PressStage]

  /// Reads a recording through the engine.
  ///
  /// - Parameters:
  ///   - recording: is read to its end, or to a fault.
  ///   - surface: what its device can do.
  ///   - configuration: all that is configured.
  /// - Returns: what there is to draw, and what is wrong with the recording from some place on.
  package static func read(
    _ recording: Recording, _ surface: Surface, _ configuration: Configuration
  ) -> (PlotModel, RecordingError?) {
    let device = DeviceID(recording.description)
    var engine = Engine(surface: surface, configuration: configuration)
    var output = EventBuffer()
    var trace: RecordingTrace?
    var fault: RecordingError?
    var lastFrame = Timestamp(microseconds: 0)
    func hear() {
      for event in output.events { trace?.hear(event, on: engine.surface) }
      output.removeAll()
    }
    do throws(RecordingError) {
      while let event = try recording.next() {
        trace = trace ?? RecordingTrace(from: event.time)
        engine.receive(event, into: &output)
        if event.code == .report { lastFrame = event.time }
        hear()
      }
    } catch {
      fault = error
    }
    engine.cancelAll(at: lastFrame, into: &output)
    hear()
    trace?.finish()
    let press = configuration.settings(for: device.text).press
    let model = PlotModel(
      device: device, surface: engine.surface, trace: trace ?? RecordingTrace(from: lastFrame),
      stages: engine.surface.stages(of: press))
    return (model, fault)
  }

  /// The device's own name, on one line.
  package var name: String {
    let name = surface.description.name.onOneLine
    return name.isEmpty ? "A device without a name" : name
  }

  /// The force that counts as full.
  package var maximum: Double {
    trace.hasSimulatedPresses || surface.pressure == nil
      ? Force.referenceMaximum : surface.pressure?.maximumPossibleForce ?? 0
  }

  /// Where a stage begins, as a force; nil where no force does.
  package func force(of stage: PressStage) -> Double? {
    switch stage.unit {
    case .ratio: stage.threshold.press * maximum
    case .force: stage.threshold.press
    case .grams: force(ofGrams: stage.threshold.press)
    }
  }

  /// The force that weighs so much; nil where none does.
  package func force(ofGrams grams: Double) -> Double? {
    guard !trace.hasSimulatedPresses, let least = surface.grams(ofForce: 0),
      let most = surface.grams(ofForce: maximum), least < most, (least...most).contains(grams)
    else { return nil }
    var (low, high) = (0.0, maximum)
    for _ in 0..<60 {
      let middle = (low + high) / 2
      if (surface.grams(ofForce: middle) ?? 0) < grams { low = middle } else { high = middle }
    }
    return (low + high) / 2
  }
}
