package import PressureKit
package import PressureProtocol
internal import PressureSettings
internal import PressureSystem

package struct CalibrationInProgress {
  package let client: Int
  package var session: CalibrationSession
}

// One client at a time calibrates a device; nothing changes until it finishes, or if it disconnects before.

extension Daemon {
  package func calibrate(_ name: String?, _ step: CalibrationStep, for client: Client)
    throws(RequestError)
  {
    let served = try soleDevice(named: name, for: client, needsScale: false)
    if let current = served.calibration, current.client != client.number {
      throw RequestError.busy(.inUse, "another client is calibrating \(served.id.text)")
    }
    switch step {
    case .begin(let tolerance): try begin(on: served, tolerance, for: client)
    case .point(let grams, let condition, let tolerance):
      try measure(grams, condition, tolerance, on: served)
    case .finish: try finish(on: served)
    case .cancel:
      served.calibration = nil
      reply.append("{}")
    }
  }

  private func begin(
    on served: ServedDevice, _ tolerance: Double?, for client: Client
  ) throws(RequestError) {
    do throws(CalibrationSession.StepError) {
      let session = try CalibrationSession(
        served.engine.surface, frame: served.engine.frame,
        tolerance: tolerance ?? CalibrationPoint.defaultTolerance)
      served.calibration = CalibrationInProgress(client: client.number, session: session)
      reply.append(session, device: served.id)
    } catch {
      throw RequestError(.failed, error.description)
    }
  }

  private func measure(
    _ grams: Double, _ condition: CalibrationPoint.Condition, _ tolerance: Double?,
    on served: ServedDevice
  ) throws(RequestError) {
    do throws(CalibrationSession.StepError) {
      try served.calibration?.session.measure(grams, condition, tolerance: tolerance, at: now)
    } catch {
      throw RequestError(.failed, error.description)
    }
    reply.append(try session(of: served), device: served.id)
  }

  private func finish(on served: ServedDevice) throws(RequestError) {
    let session = try session(of: served)
    let fit: CalibrationFit
    do throws(CalibrationError) {
      served.updateDate()
      fit = try session.fit(date: served.engine.date(at: now))
    } catch {
      throw RequestError(.failed, error.description)
    }
    let isStored: Bool
    do throws(SystemError) {
      isStored = try memory.keep(fit, of: served.id)
    } catch {
      throw RequestError(.failed, "\(error.sentence); the previous calibration stays in force")
    }
    served.calibration = nil
    reply.append(session, device: served.id, isStored: isStored)
    served.pendingFit = fit
  }

  private func session(of served: ServedDevice) throws(RequestError) -> CalibrationSession {
    guard let current = served.calibration else {
      throw RequestError(.failed, "no calibration has begun; empty the surface and say step=begin")
    }
    return current.session
  }

  /// Applies finished calibrations to their devices, after the reply was sent.
  func applyPendingFits() {
    for served in devices {
      guard let fit = served.pendingFit else { continue }
      served.pendingFit = nil
      served.calibrate(by: fit, at: now)
      publish(served)
    }
  }

  func cancelCalibrations(of client: Client) {
    for served in devices where served.calibration?.client == client.number {
      served.calibration = nil
    }
  }
}
