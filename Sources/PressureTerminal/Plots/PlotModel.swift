package import PressureKit
package import PressureRecordings
internal import PressureSystem

/// The data of a plot of a recording: its device and the engine's events.
package struct PlotModel {
  package let device: DeviceID
  package let surface: Surface
  package let trace: RecordingTrace

  /// The stages of its presses.
  package let stages: [PressStage]

  /// Reads a recording through the engine.
  ///
  /// - Parameters:
  ///   - recording: the recording, which is read to its end or to the first error.
  ///   - surface: the surface of its device.
  ///   - configuration: the configuration of the engine.
  /// - Returns: the data to plot, and the error that ended the recording early, if any.
  package static func read(
    _ recording: Recording, _ surface: Surface, _ configuration: Configuration
  ) -> (PlotModel, RecordingError?) {
    let device = DeviceID(recording.description)
    var engine = Engine(surface: surface, configuration: configuration)
    var output = EventBuffer()
    var trace: RecordingTrace?
    var readError: RecordingError?
    var lastFrame = Timestamp(microseconds: 0)
    func drainOutput() {
      for event in output.events { trace?.add(event, on: engine.surface) }
      output.removeAll()
    }
    do throws(RecordingError) {
      while let event = try recording.next() {
        trace = trace ?? RecordingTrace(from: event.time)
        engine.receive(event, into: &output)
        if event.code == .report { lastFrame = event.time }
        drainOutput()
      }
    } catch {
      readError = error
    }
    engine.cancelAll(at: lastFrame, into: &output)
    drainOutput()
    trace?.finish()
    let press = configuration.settings(for: device.text).press
    let model = PlotModel(
      device: device, surface: engine.surface, trace: trace ?? RecordingTrace(from: lastFrame),
      stages: engine.surface.stages(of: press, clicks: engine.clicks))
    return (model, readError)
  }

  /// The name of the device, on one line.
  package var name: String {
    let name = surface.description.name.onOneLine
    return name.isEmpty ? "A device without a name" : name
  }

  /// The maximum force.
  package var maximum: Double {
    trace.hasSimulatedPresses || surface.pressure == nil
      ? Force.referenceMaximum : surface.pressure?.maximumPossibleForce ?? 0
  }

  /// The force at which a stage begins; nil if there is none.
  package func force(of stage: PressStage) -> Double? {
    switch stage.unit {
    case .ratio, .click: stage.threshold.press * maximum
    case .force: stage.threshold.press
    case .grams: force(ofGrams: stage.threshold.press)
    }
  }

  /// The force that corresponds to a weight; nil if there is none.
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
