internal import PressureDevices

/// What is known of the values of a pad.
package struct PadKnowledge: Hashable, Sendable {
  /// The value that was set last; nil if none was, or if it is not known whether the pad has it.
  package var values: [PadSetting: Int64] = [:]

  /// The value that the pad had when it was asked before it was first set.
  package var originals: [PadSetting: Int64] = [:]

  /// What the pad returned after the value was set; nil if that was not believable.
  package var confirmations: [PadSetting: Int64] = [:]

  /// The settings that were sent since the pad appeared, also if it may have lost them or may not have accepted them.
  package var touched: Set<PadSetting> = []

  /// The values that are saved.
  ///
  /// A pad that has kept its power since they were sent still has them, so that one that it returns need not be the one that
  /// it came with.
  package var saved: [PadSetting: Int64] = [:]

  package init() {}
}

/// Sets several settings of a pad, or none.
///
/// Nothing is written before all reports are known to fit. They are written in order; after an error those before are
/// written back in reverse, as far as their earlier values are known.
struct PadTransaction {
  let layout: PadLayout
  let node: any FeatureNode
  private(set) var knowledge: PadKnowledge

  /// The numbers of the reports that the pad did not return in a believable way, so that it is not asked for them again.
  private var silentReports: Set<UInt8?> = []

  /// Whether it did not answer at all, so that it is not asked for other reports either: each wait takes seconds.
  private var isUnresponsive = false

  /// The report as it is to be, and as it was; nil if that is unknown.
  private struct Step {
    let report: FeatureReport
    let after: FeatureData
    let before: FeatureData?

    /// Whether a setting has another value afterwards, or may have.
    func changes(_ control: PadControl) -> Bool {
      before?.value(of: control.field) != after.value(of: control.field)
    }
  }

  init(_ layout: PadLayout, _ node: any FeatureNode, _ knowledge: PadKnowledge) {
    (self.layout, self.node, self.knowledge) = (layout, node, knowledge)
  }

  /// Writes the values, which are in range.
  ///
  /// - Throws: the first error, with what was written back.
  mutating func run(_ wanted: [PadSetting: Int64]) throws(PadError) {
    var steps: [Step] = []
    for report in layout.reports {
      if let step = try step(for: report, wanted) { steps.append(step) }
    }
    for (index, step) in steps.enumerated() {
      do throws(FeatureError) {
        try node.set(step.after.bytes, report: step.report.id)
      } catch {
        // Unless it was refused, the report may have arrived before the error.
        let count = error.isRefusal ? index : index + 1
        throw failure(error, step, rollBack(steps.prefix(count)))
      }
    }
    for (setting, value) in wanted {
      knowledge.values[setting] = value
      knowledge.touched.insert(setting)
    }
    for step in steps { confirm(step) }
  }

  // MARK: - Before

  /// The step that sets what is wanted in a report; nil if nothing in it is.
  private mutating func step(
    for report: FeatureReport, _ wanted: [PadSetting: Int64]
  ) throws(PadError) -> Step? {
    let controls = layout.controls(in: report)
    guard controls.contains(where: { wanted[$0.setting] != nil }) else { return nil }
    let others = report.others(than: controls)
    let isKnown = others.isEmpty && controls.allSatisfy { knowledge.values[$0.setting] != nil }
    // Asked once, before the first write: later the values are known.
    let asked = isKnown ? nil : askTwice(report)
    if let asked { note(asked, controls) }
    if !others.isEmpty, asked == nil {
      throw PadError(
        .unknownValue,
        "the report of the \(controls[0].setting.name) contains another value, \(others[0].usage.name), and the pad does "
          + "not return it; nothing was written, as that value would change")
    }
    var before = asked ?? FeatureData(count: report.byteCount)
    var after = before
    var isBeforeKnown = true
    for control in controls {
      let known = knowledge.values[control.setting] ?? asked?.value(of: control.field)
      if let known { before.set(known, of: control.field) } else { isBeforeKnown = false }
      guard let value = wanted[control.setting] ?? known else {
        let wish = controls.map { "\($0.setting.rawValue)=…" }.joined(separator: " ")
        throw PadError(
          .unknownValue,
          "the pad has one report for both settings and does not return the \(control.setting.name); nothing was "
            + "written, as it would change; set both: \(wish)")
      }
      after.set(value, of: control.field)
    }
    return Step(report: report, after: after, before: isBeforeKnown ? before : nil)
  }

  /// The report as the pad returns it; nil unless all of its values are in range.
  private mutating func ask(_ report: FeatureReport) -> FeatureData? {
    guard !isUnresponsive, !silentReports.contains(report.id) else { return nil }
    do throws(FeatureError) {
      let bytes = try node.get(report: report.id, count: report.byteCount)
      let data = FeatureData(bytes: Array(bytes.prefix(report.byteCount)))
      if bytes.count >= report.byteCount, data.isPlausible(report.fields) { return data }
    } catch {
      if error.code == .noAnswer { isUnresponsive = true }
    }
    silentReports.insert(report.id)
    return nil
  }

  /// The report, if the pad returns the same twice: it may be written, and what is in range may still be no answer.
  private mutating func askTwice(_ report: FeatureReport) -> FeatureData? {
    guard let first = ask(report), let second = ask(report) else { return nil }
    guard first == second else {
      silentReports.insert(report.id)
      return nil
    }
    return first
  }

  /// Notes the values that the pad came with; one that may have been set before does not count.
  private mutating func note(_ data: FeatureData, _ controls: [PadControl]) {
    for control in controls {
      let setting = control.setting
      let value = data.value(of: control.field)
      guard knowledge.originals[setting] == nil, !knowledge.touched.contains(setting),
        knowledge.saved[setting] != value
      else { continue }
      knowledge.originals[setting] = value
    }
  }

  // MARK: - After

  /// Asks for the report again; a value that is not believable confirms nothing.
  private mutating func confirm(_ step: Step) {
    let controls = layout.controls(in: step.report)
    for control in controls { knowledge.confirmations[control.setting] = nil }
    guard let data = ask(step.report) else { return }
    for control in controls where knowledge.values[control.setting] != nil {
      knowledge.confirmations[control.setting] = data.value(of: control.field)
    }
  }

  /// What became of the reports that were written before an error.
  private enum Rollback {
    case nothing, complete
    /// The earlier values of these settings are unknown, or the pad did not accept them.
    case incomplete(String)
    /// The pad is gone.
    case gone
  }

  private mutating func rollBack(_ steps: ArraySlice<Step>) -> Rollback {
    var left: [String] = []
    var isGone = false
    for step in steps.reversed() {
      do throws(FeatureError) {
        if let before = step.before {
          try node.set(before.bytes, report: step.report.id)
          continue
        }
      } catch {
        isGone = isGone || error == .gone || node.isGone
      }
      for control in layout.controls(in: step.report) where step.changes(control) {
        // Neither the old value nor the new one is certain.
        knowledge.values[control.setting] = nil
        knowledge.confirmations[control.setting] = nil
        knowledge.touched.insert(control.setting)
        left.append(control.setting.name)
      }
    }
    if steps.isEmpty { return .nothing }
    if isGone { return .gone }
    return left.isEmpty ? .complete : .incomplete(left.joined(separator: " and "))
  }

  private func failure(_ error: FeatureError, _ step: Step, _ rollback: Rollback) -> PadError {
    let names = layout.controls(in: step.report).map(\.setting.name).joined(separator: " and ")
    // A driver that is being removed may report another error first.
    let error = if case .gone = rollback { FeatureError.gone } else { error }
    var message = "the \(names) was not set: the pad \(error.reason)"
    switch rollback {
    case .nothing: message += "; nothing was changed"
    case .complete: message += "; the earlier values were written back"
    case .incomplete(let left):
      message +=
        "; the \(left) may have changed, as the earlier value is unknown or was not accepted"
    case .gone: message += "; it forgets its settings without power"
    }
    return PadError(error.code, message)
  }
}
