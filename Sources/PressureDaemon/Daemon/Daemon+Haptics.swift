internal import PressureDevices
internal import PressureKit
internal import PressureSystem

extension Daemon {
  /// Gives a device that was just opened something to let the finger feel, where that is wanted.
  func prepareHaptics(of live: EvdevDevice) {
    guard configuration.haptics.enabled else { return }
    do throws(SystemError) {
      try live.prepareEffect(intensityPercent: configuration.haptics.intensityPercent)
    } catch {
      Log.warning("\(error.sentence); it is read without haptics")
    }
  }

  /// Lets the finger feel what the clients are to read next: one threshold makes both.
  func pulse(_ served: ServedDevice) {
    guard case .live(let live, _) = served.feed, live.hasEffect else { return }
    for time in served.pulseTimes(stages: configuration.haptics.stages)
    where pulseLimit.admits(at: time) {
      live.pulse()
    }
  }
}
