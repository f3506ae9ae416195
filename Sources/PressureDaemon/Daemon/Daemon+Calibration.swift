internal import PressureKit
package import PressureProtocol

// One client at a time calibrates a device; nothing changes until it finishes, or if it disconnects before.

extension Daemon {
  package func calibrate(_ name: String?, _ step: CalibrationStep, for client: Client)
    throws(RequestError)
  {
    let served = try soleDevice(named: name, for: client, needsScale: false)
    if let current = served.calibration, current.client != client.number {
      throw RequestError.busy(.inUse, "another client is calibrating \(served.id.text)")
    }
    do {
      switch step {
      case .begin(let tolerance):
        let session = try CalibrationSession(
          served.engine.surface, frame: served.engine.frame,
          tolerance: tolerance ?? CalibrationPoint.defaultTolerance)
        served.calibration = (client.number, session)
        append(session, of: served)
      case .point(let grams, let tolerance):
        try change(served) { try $0.measure(grams, tolerance: tolerance, at: now) }
      case .check(let grams, let tolerance): try check(grams, tolerance, on: served)
      case .drop(nil) where served.calibration == nil: try takeBackCheck(on: served)
      case .drop(let grams): try change(served) { try $0.drop(grams: grams) }
      case .finish: try finish(on: served)
      case .cancel:
        served.calibration = nil
        reply.append("{}")
      }
    } catch let error as RequestError {
      throw error
    } catch {
      throw RequestError(.failed, "\(error)")
    }
  }

  /// Changes the calibration in progress, and replies with it.
  private func change(
    _ served: ServedDevice, _ body: (inout CalibrationSession) throws -> Void
  ) throws {
    var session = try session(of: served)
    try body(&session)
    served.calibration?.session = session
    append(session, of: served)
  }

  private func append(
    _ session: CalibrationSession, of served: ServedDevice, isStored: Bool? = nil,
    isContradicted: Bool? = nil
  ) {
    let fit = Result { () throws(CalibrationError) in try session.fit() }
    reply.append(
      session.points, session.checks, fit, device: served.id, isStored: isStored,
      isContradicted: isContradicted)
  }

  private func finish(on served: ServedDevice) throws {
    let session = try session(of: served)
    served.updateDate()
    let fit = try session.fit(date: served.engine.date(at: now))
    let isStored = try memory.keep(fit, of: served.id)
    served.calibration = nil
    append(session, of: served, isStored: isStored)
    pendingFit = (served, fit)
  }

  /// Checks the calibration in progress, or else the current one, which is then stored with the check.
  private func check(_ grams: Double, _ tolerance: Double?, on served: ServedDevice) throws {
    bringUpToDate(served)
    if var session = served.calibration?.session {
      let fit = try? session.fit()
      let check = try session.check(
        grams, tolerance: tolerance, date: served.engine.date(at: now), at: now)
      served.calibration?.session = session
      return append(session, of: served, isContradicted: fit?.isContradicted(by: check))
    }
    let previous = served.engine.surface.fit
    let check = try served.update(at: now) {
      try $0.recordCheck(grams, tolerance: tolerance, at: $1, into: &$2)
    }
    guard let fit = served.engine.surface.fit else { return }
    do {
      reply.append(
        fit.points, fit.checks, .success(fit), device: served.id,
        isStored: try memory.keep(fit, of: served.id),
        isContradicted: previous?.isContradicted(by: check))
    } catch {
      _ = served.update(at: now) { $0.takeBackCheck(at: $1, into: &$2) }
      throw error
    }
    publish(served)
  }

  /// Removes the last check of the current calibration.
  private func takeBackCheck(on served: ServedDevice) throws(RequestError) {
    guard let fit = served.engine.surface.fit?.withoutLastCheck else {
      throw RequestError(.failed, "no calibration has begun, and there is no check to take back")
    }
    reply.append(
      fit.points, fit.checks, .success(fit), device: served.id,
      isStored: try memory.keep(fit, of: served.id))
    bringUpToDate(served)
    _ = served.update(at: now) { $0.takeBackCheck(at: $1, into: &$2) }
    publish(served)
  }

  private func session(of served: ServedDevice) throws(RequestError) -> CalibrationSession {
    guard let current = served.calibration else {
      throw RequestError(.failed, "no calibration has begun; empty the surface and say step=begin")
    }
    return current.session
  }
}
