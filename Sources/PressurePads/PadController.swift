internal import PressureDevices
internal import PressureSystem

/// Sets one pad: on request, at the start, and after the machine was suspended.
///
/// Each report is read, changed, written and read back, in order. The first error ends the request.
package struct PadController {
  package let pad: PadDevice
  private let store: PadStore
  private let present: () -> Set<String>
  private let open: () throws(PadError) -> any FeatureNode

  /// Creates a controller; `open` is called for each request, as an open node keeps a pad awake.
  ///
  /// `present` returns the checksums of the descriptors of all pads of this model that are there.
  init(
    _ pad: PadDevice, store: PadStore, present: @escaping () -> Set<String>,
    open: @escaping () throws(PadError) -> any FeatureNode
  ) {
    (self.pad, self.store, self.present, self.open) = (pad, store, present, open)
  }

  package init(_ pad: PadDevice, store: PadStore) {
    self.init(
      pad, store: store,
      present: { Set(PadFolder.pads().filter { $0.model == pad.model }.map(\.checksum)) },
      open: { () throws(PadError) in try HIDNode(pad) })
  }

  // MARK: - Requests

  /// Sets what a person wants, if `isSaved` whenever the pad appears, too; returns what was done, in sentences.
  package func set(_ targets: [PadSetting: PadTarget], isSaved: Bool) throws(PadError) -> [String] {
    var values: [PadSetting: Int64] = [:]
    for setting in PadSetting.allCases {
      guard let target = targets[setting] else { continue }
      values[setting] = try pad.layout.control(setting).value(for: target)
    }
    var warnings: [String] = []
    var record = known { warnings.append($0) }
    try write(values, &record)
    let sentences = sentences(for: values, record)
    guard isSaved else { return sentences }
    for (setting, value) in values { record[setting].saved = value }
    try save(record, or: "the setting stays until the pad loses power")
    return warnings + sentences
      + ["saved: it is set again when the pad appears and after a suspend"]
  }

  /// Forgets what was saved, and goes back to what the pad returned before it was first set, as far as that is known.
  ///
  /// No item of a report descriptor states a neutral value. What was saved is forgotten first, also if the pad does not accept
  /// anything any more.
  package func reset() throws(PadError) -> [String] {
    guard !pad.layout.controls.isEmpty else {
      throw PadError(.notDeclared, pad.remarks.joined(separator: "; "))
    }
    var record = known { _ in }
    let originals = record.values(\.original)
    let forgotten = "the saved settings of this pad are deleted"
    var sentences = [forgotten]
    for control in pad.layout.controls {
      if originals[control.setting] == nil {
        sentences.append(sentence(withoutOriginal: control, record[control.setting]))
      }
      // It may have been set, and is not saved any more.
      if record[control.setting].isUnknown { record[control.setting].isTouched = true }
      record[control.setting].saved = nil
    }
    try save(record, or: "nothing was set back")
    guard !originals.isEmpty else { return sentences }
    do throws(PadError) {
      try write(originals, &record)
    } catch {
      throw PadError(error.code, "\(forgotten), but \(error.message)")
    }
    sentences += self.sentences(for: originals, record, ending: ", as the pad came")
    for (setting, value) in originals where record[setting].returned == value {
      record[setting] = PadRecord.Setting()
    }
    try store.write(record, of: pad)
    return sentences
  }

  /// What remains of a setting if it is not known what the pad came with.
  private func sentence(withoutOriginal control: PadControl, _ known: PadRecord.Setting) -> String {
    let name = control.setting.name
    if known.value == nil, !known.isUnknown { return "\(name): as the pad came" }
    let now = known.value.map { "at \(control.sentence(of: $0))" } ?? "as it is"
    return "\(name): the descriptor has no neutral value, and the original one is "
      + "not known, so it stays \(now) until the pad loses power"
  }

  /// Sends the saved settings, as the pad has lost them; returns what was done, in sentences; empty if nothing is saved.
  ///
  /// `warn` is called with what is wrong with the saved settings.
  package func restore(warn: (String) -> Void) throws(PadError) -> [String] {
    var record = known(warn: warn)
    record.note = nil
    for setting in PadSetting.allCases {
      // What was not saved may be lost as well, but what the pad came with stays known.
      record[setting].value = nil
      record[setting].returned = nil
    }
    if record.values(\.saved).isEmpty, store.hasOtherFirmware(pad, present: present()) {
      let note =
        "settings were saved for a firmware with another report descriptor; they are not sent to this one: set the pad again"
      record.note = note
      warn(note)
    }
    // Until the pad has them, nothing counts as set.
    try store.write(record, of: pad)
    return try restoreMissing()
  }

  /// Sends the saved settings if the pad has appeared, and those that it has not got if the service starts again.
  package func restoreAtStart(warn: (String) -> Void) throws(PadError) -> [String] {
    guard store.record(pad) != nil else { return try restore(warn: warn) }
    return try restoreMissing()
  }

  /// Sends those saved settings of which it is not known that the pad has them; what a person has set since stays.
  package func restoreMissing() throws(PadError) -> [String] {
    var record = known { _ in }
    let missing = record.values(\.saved).filter { record[$0.key].value == nil }
    guard !missing.isEmpty else { return [] }
    try write(missing, &record)
    return sentences(for: missing, record)
  }

  private func sentences(
    for values: [PadSetting: Int64], _ record: PadRecord, ending: String = ""
  ) -> [String] {
    pad.layout.controls.compactMap { control in
      guard let value = values[control.setting] else { return nil }
      let words = "\(control.setting.name): \(control.sentence(of: value))\(ending)"
      guard let returned = record[control.setting].returned else {
        return "\(words); sent, but the pad does not confirm it"
      }
      return returned == value
        ? words : "\(words); the pad reports \(control.sentence(of: returned))"
    }
  }

  // MARK: - Writing

  /// A report that is to be written.
  private struct Step {
    let report: FeatureReport

    /// Its settings, and those that are to be set.
    let controls: [PadControl]
    let wanted: [PadControl]

    /// What the pad returned; nil unless all of its values are in range.
    var before: [UInt8]?

    var names: String { wanted.map(\.setting.name).joined(separator: " and ") }
  }

  /// Writes values, which are in range; an error says what was set before it.
  private func write(_ values: [PadSetting: Int64], _ record: inout PadRecord) throws(PadError) {
    let node = try open()
    var steps: [Step] = []
    for report in pad.layout.reports {
      let controls = pad.layout.controls.filter { $0.field.reportID == report.id }
      let wanted = controls.filter { values[$0.setting] != nil }
      guard !wanted.isEmpty else { continue }
      let step = Step(
        report: report, controls: controls, wanted: wanted, before: read(report, node))
      // Nothing is written before all reports are known.
      try check(step)
      note(step, &record)
      steps.append(step)
    }
    var names: [String] = []
    for step in steps {
      var bytes = step.before ?? Array(repeating: 0, count: step.report.byteCount)
      for control in step.wanted {
        let setting = control.setting
        if let value = values[setting] { control.field.set(value, in: &bytes) }
        // Until the pad has accepted it, neither the old value nor the new one is certain.
        record[setting] = PadRecord.Setting(
          original: record[setting].original, saved: record[setting].saved, isTouched: true)
      }
      do throws(PadError) {
        try node.set(bytes, report: step.report.id)
      } catch {
        try? store.write(record, of: pad)
        let before = names.isEmpty ? "" : "; the \(names.joined(separator: " and ")) was set before"
        throw PadError(
          error.code, "the \(step.names) was not set: the pad \(error.message)\(before)")
      }
      names.append(step.names)
      // A pad that did not return the report before is not asked again: each wait takes seconds.
      let after = step.before == nil ? nil : read(step.report, node)
      for control in step.wanted {
        record[control.setting].value = values[control.setting]
        record[control.setting].returned = after.map { control.field.value(in: $0) }
      }
    }
    record.note = nil
    try store.write(record, of: pad)
  }

  private func read(_ report: FeatureReport, _ node: any FeatureNode) -> [UInt8]? {
    guard let answer = try? node.get(report: report.id, count: report.byteCount) else { return nil }
    let bytes = Array(answer.prefix(report.byteCount))
    return report.isPlausible(bytes) ? bytes : nil
  }

  /// Notes what the pad came with; a value that may have been set before does not count.
  private func note(_ step: Step, _ record: inout PadRecord) {
    guard let bytes = step.before else { return }
    for control in step.controls {
      let known = record[control.setting]
      guard known.original == nil, known.value == nil, !known.isUnknown else { continue }
      record[control.setting].original = control.field.value(in: bytes)
    }
  }

  /// Throws `unknown_value` if the report contains another value that the pad does not return.
  private func check(_ step: Step) throws(PadError) {
    guard step.before == nil else { return }
    let isWanted = { (field: ReportField) in step.wanted.contains { $0.field == field } }
    guard let other = step.report.carried.first(where: { !isWanted($0) }) else { return }
    let control = step.controls.first { $0.field == other }
    let both = step.controls.map { "\($0.setting.rawValue)=…" }.joined(separator: " ")
    throw PadError(
      .unknownValue,
      "the report of the \(step.names) contains another value, \(control?.setting.name ?? other.usage.name), and the "
        + "pad does not return it; nothing was written, as that value would change"
        + (control == nil ? "" : "; set both: \(both)"))
  }

  // MARK: - Files

  /// What is known of the pad: what was set since it appeared, and what is saved.
  private func known(warn: (String) -> Void) -> PadRecord {
    var record = store.record(pad) ?? PadRecord(device: pad.instance, descriptor: pad.checksum)
    let file = store.saved(pad, warn: warn)
    for setting in PadSetting.allCases {
      record[setting].saved = file?[setting].saved
      record[setting].original = file?[setting].original ?? record[setting].original
    }
    return record
  }

  /// Saves a record; an error states the consequence as well.
  private func save(_ record: PadRecord, or consequence: String) throws(PadError) {
    do throws(PadError) {
      try store.save(record, of: pad)
      try store.write(record, of: pad)
    } catch {
      throw PadError(error.code, "\(error.message); \(consequence)")
    }
  }
}
