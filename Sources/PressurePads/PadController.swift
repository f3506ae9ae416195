internal import PressureSystem

/// Sets one pad: on request, at the start, and after the machine was suspended.
package struct PadController {
  package let pad: PadDevice
  private let store: PadStore
  private let present: () -> Set<String>
  private let open: () throws(PadError) -> any FeatureNode

  /// Creates a controller.
  ///
  /// - Parameters:
  ///   - pad: the pad.
  ///   - store: where settings are saved.
  ///   - present: returns the checksums of the descriptors of all pads of this model that are there.
  ///   - open: opens the node; it is closed after each request, as an open node keeps a pad awake.
  package init(
    _ pad: PadDevice, store: PadStore, present: @escaping () -> Set<String> = { [] },
    open: @escaping () throws(PadError) -> any FeatureNode
  ) {
    (self.pad, self.store, self.present, self.open) = (pad, store, present, open)
  }

  /// Creates a controller of the hidraw node.
  package init(_ pad: PadDevice, store: PadStore) {
    self.init(
      pad, store: store,
      present: { Set(PadFolder.pads().filter { $0.model == pad.model }.map(\.checksum)) },
      open: { () throws(PadError) in try HIDNode(pad) })
  }

  /// The state for people and panels.
  package var state: PadState { PadState(pad, store.record(pad)) }

  /// Whether the saved settings were sent to this device already, without an error.
  package var isApplied: Bool {
    guard let record = store.record(pad) else { return false }
    return record.saved.keys.allSatisfy { record.values[$0] != nil }
  }
}

// MARK: - Requests

extension PadController {
  /// Sets what a person wants.
  ///
  /// - Parameters:
  ///   - wishes: the settings.
  ///   - isSaved: whether they are set again whenever the pad appears.
  /// - Returns: what was done, in sentences.
  /// - Throws: why nothing was set, or why it could not be saved.
  package func set(
    _ wishes: [PadSetting: PadWish], isSaved: Bool
  ) throws(PadError) -> [String] {
    var values: [PadSetting: Int64] = [:]
    for setting in PadSetting.allCases {
      guard let wish = wishes[setting] else { continue }
      values[setting] = try pad.layout.control(setting).value(for: wish)
    }
    guard !values.isEmpty else { throw PadError(.badRequest, "no setting is named") }
    var record = store.record(pad) ?? PadRecord(pad)
    var warnings: [String] = []
    var saved = store.saved(pad) { warnings.append($0) }
    try write(values, &record, &saved)
    var sentences = sentences(for: values, record.knowledge)
    guard isSaved else { return sentences }
    let neighbors = neighbors(of: values, record.knowledge)
    saved.values.merge(values.merging(neighbors) { $1 }) { $1 }
    do throws(PadError) {
      try save(saved, &record)
    } catch {
      throw PadError(error.code, "\(error.message); what was set stays until the pad loses power")
    }
    sentences += neighbors.map { setting, value in
      "saved with it, as the pad has one report for both and does not return it: \(sentence(setting, value))"
    }
    sentences.append("saved: it is set again when the pad appears and after a suspend")
    return warnings + sentences
  }

  /// Forgets what was saved, and goes back to the values from before as far as they are known.
  ///
  /// No item of a report descriptor states a neutral value, so these are what the pad returned before it was first set. What was
  /// saved is forgotten first, also if the pad does not accept anything any more.
  package func reset() throws(PadError) -> [String] {
    guard !pad.layout.controls.isEmpty else {
      throw PadError(.notDeclared, pad.remarks.joined(separator: "; "))
    }
    var record = store.record(pad) ?? PadRecord(pad)
    var saved = store.saved(pad)
    let knowledge = known(record, saved)
    // Also those of which it is not known whether the pad still has them, as after a suspend or an incomplete roll-back.
    let wanted = knowledge.originals
    // Without a record the file alone shows that the pad was set.
    let unknown = Set(
      PadSetting.allCases.filter {
        record.isUnknown($0) || saved.values[$0] != nil && knowledge.values[$0] == nil
      })
    record.knowledge = knowledge
    // It may have been set, and is not saved any more.
    record.touched = knowledge.touched.union(unknown).map(\.rawValue).sorted()
    saved = SavedSettings()
    do throws(PadError) {
      try save(saved, &record)
    } catch {
      throw PadError(.notSaved, "\(error.message); nothing was set back")
    }
    let forgotten = "nothing is saved for this pad any more"
    var sentences = [forgotten]
    for control in pad.layout.controls where wanted[control.setting] == nil {
      sentences.append(
        sentence(withoutOriginal: control, knowledge.values[control.setting], unknown))
    }
    guard !wanted.isEmpty else { return sentences }
    do throws(PadError) {
      try write(wanted, &record, &saved)
    } catch {
      throw PadError(error.code, "\(forgotten), but \(error.message)")
    }
    let after = record.knowledge
    // The pad has them now, so that the next request asks for them again.
    for (setting, value) in wanted where after.confirmations[setting] == value {
      record.originals[setting.rawValue] = nil
      record.values[setting.rawValue] = nil
      record.confirmations[setting.rawValue] = nil
      record.touched?.removeAll { $0 == setting.rawValue }
    }
    try keep(record)
    return sentences + self.sentences(for: wanted, after, ending: ", as the pad came")
  }

  /// Sends those saved settings again that the pad did not accept in a restoration.
  ///
  /// What a person has set since stays.
  package func restoreMissing() throws(PadError) -> [String] {
    guard !isApplied, var record = store.record(pad) else { return [] }
    var saved = store.saved(pad)
    let missing = saved.values.filter { record.values[$0.key.rawValue] == nil }
    guard !missing.isEmpty else { return [] }
    try write(missing, &record, &saved)
    return sentences(for: missing, record.knowledge)
  }

  /// Sends the saved settings, as the pad has lost them.
  ///
  /// - Returns: what was done, in sentences; empty if nothing is saved.
  package func restore(warn: (String) -> Void) throws(PadError) -> [String] {
    // What was not saved may be lost as well, but what the pad came with stays known.
    var record = PadRecord(pad)
    if let before = store.record(pad) {
      record.originals = before.originals
      record.touched = before.knowledge.touched.map(\.rawValue).sorted()
    }
    var saved = store.saved(pad, warn: warn)
    record.saved = PadRecord.texts(saved.values)
    if saved.values.isEmpty, store.hasOtherFirmware(pad, present: present()) {
      record.note =
        "settings were saved for a firmware with another report descriptor; they are not sent to this one: set the pad again"
      warn(record.note ?? "")
    }
    // Until the pad has them, nothing counts as set.
    try keep(record)
    guard !saved.values.isEmpty else { return [] }
    try write(saved.values, &record, &saved)
    return sentences(for: saved.values, record.knowledge)
  }
}

// MARK: - Steps

extension PadController {
  /// Writes values to the pad, and keeps what is known afterwards, also after an error.
  private func write(
    _ values: [PadSetting: Int64], _ record: inout PadRecord, _ saved: inout SavedSettings
  ) throws(PadError) {
    var transaction = PadTransaction(pad.layout, try open(), known(record, saved))
    do throws(PadError) {
      try transaction.run(values)
    } catch {
      record.knowledge = transaction.knowledge
      try? keep(record)
      throw error
    }
    record.knowledge = transaction.knowledge
    record.note = nil
    try keep(record)
    // What the pad came with is saved beside its settings; without it they are as useful as before.
    guard !saved.values.isEmpty, saved.originals != transaction.knowledge.originals else { return }
    saved.originals = transaction.knowledge.originals
    try? store.save(saved, of: pad)
  }

  /// What is known of the pad, as far as it is in range.
  ///
  /// What was saved first as the value that it came with counts.
  private func known(_ record: PadRecord, _ saved: SavedSettings) -> PadKnowledge {
    var knowledge = record.knowledge
    knowledge.values = knowledge.values.filter(pad.isInRange)
    knowledge.originals = knowledge.originals.filter(pad.isInRange)
      .merging(saved.originals) { $1 }
    knowledge.saved = saved.values
    return knowledge
  }

  /// Known values of other settings in the reports of these, if the pad does not return them: without them, the reports
  /// could not be sent again.
  private func neighbors(
    of values: [PadSetting: Int64], _ knowledge: PadKnowledge
  ) -> [PadSetting: Int64] {
    let neighbors = pad.layout.neighbors(of: values.keys)
    return knowledge.values.filter { setting, _ in
      neighbors.contains(setting) && knowledge.confirmations[setting] == nil
    }
  }

  private func save(_ saved: SavedSettings, _ record: inout PadRecord) throws(PadError) {
    var saved = saved
    saved.originals = record.knowledge.originals.merging(saved.originals) { $1 }
    do throws(SystemError) {
      try store.save(saved, of: pad)
    } catch {
      throw PadError(.notSaved, error.sentence)
    }
    record.saved = PadRecord.texts(saved.values)
    try keep(record)
  }

  private func keep(_ record: PadRecord) throws(PadError) {
    do throws(SystemError) {
      try store.write(record, of: pad)
    } catch {
      throw PadError(.failed, error.sentence)
    }
  }
}

// MARK: - Sentences

extension PadController {
  private func sentence(_ setting: PadSetting, _ value: Int64) -> String {
    let control = pad.layout.controls.first { $0.setting == setting }
    return "\(setting.name): \(control?.sentence(of: value) ?? String(value))"
  }

  /// What remains of a setting if it is not known what the pad came with.
  private func sentence(
    withoutOriginal control: PadControl, _ value: Int64?, _ unknown: Set<PadSetting>
  ) -> String {
    let name = control.setting.name
    if value == nil, !unknown.contains(control.setting) { return "\(name): as the pad came" }
    let now = value.map { "at \(control.sentence(of: $0))" } ?? "as it is"
    return "\(name): the descriptor does not state a neutral value, and what the pad came with is "
      + "not known, so it stays \(now) until the pad loses power"
  }

  private func sentences(
    for values: [PadSetting: Int64], _ knowledge: PadKnowledge, ending: String = ""
  ) -> [String] {
    pad.layout.controls.compactMap { control in
      guard let value = values[control.setting] else { return nil }
      let words = sentence(control.setting, value) + ending
      switch knowledge.confirmations[control.setting] {
      case value: return words
      case .some(let other):
        return "\(words); the pad reports \(control.sentence(of: other))"
      case .none: return "\(words); sent, but the pad does not confirm it"
      }
    }
  }
}
