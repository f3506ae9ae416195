package import PressureDevices

/// What a pad's report descriptor lets one set.
package struct PadLayout: Hashable, Sendable {
  /// The settings that can be written.
  package private(set) var controls: [PadControl] = []

  /// Why a setting that is declared is not written.
  package private(set) var refusals: [PadSetting: PadError] = [:]

  /// The feature reports of the settings, in the order in which they are written.
  package private(set) var reports: [FeatureReport] = []

  /// Whether it is a touchpad, and not a touchscreen.
  package let isTouchpad: Bool

  /// How many feature and output reports are of the vendor's own protocol; the one by which Windows recognizes touchpads
  /// does not count.
  package let vendorReportCount: Int

  /// Whether it declares a setting, also one that is not written.
  package var declaresSettings: Bool { !controls.isEmpty || !refusals.isEmpty }

  /// Reads the settings of a touch device; fields of other applications do not count.
  ///
  /// - Returns: nil if the descriptor does not contain a touch device.
  package init?(_ descriptor: ReportDescriptor) {
    let applications = descriptor.collections.filter { $0.parent == nil }.map(\.usage)
    guard applications.contains(where: \.isTouchDevice) else { return nil }
    isTouchpad = applications.contains(.touchpad)
    vendorReportCount = PadLayout.vendorReports(of: descriptor)
    for setting in PadSetting.allCases {
      let fields = descriptor.fields(setting.usage, .feature).filter {
        !$0.isConstant && descriptor.path(of: $0).last?.isTouchDevice == true
      }
      guard let field = fields.first else { continue }
      do throws(PadError) {
        controls.append(try PadLayout.control(setting, fields, field, of: descriptor))
      } catch {
        refusals[setting] = error
      }
    }
    for control in controls where report(of: control) == nil {
      reports.append(FeatureReport(id: control.field.reportID, of: descriptor))
    }
  }

  /// The blob by which Windows recognizes certified touchpads.
  private static let certificate = Usage(0xff00, 0xc5)

  private static func vendorReports(of descriptor: ReportDescriptor) -> Int {
    Set(
      descriptor.fields.filter {
        $0.kind != .input && FeatureReport.isVendor($0) && $0.usage != certificate
      }.map { [$0.kind == .feature ? 1 : 0, Int($0.reportID ?? 0)] }
    ).count
  }

  private static func control(
    _ setting: PadSetting, _ fields: [ReportField], _ field: ReportField,
    of descriptor: ReportDescriptor
  ) throws(PadError) -> PadControl {
    func refuse(_ reason: String) -> PadError {
      PadError(.notDeclared, "the \(setting.name) cannot be set: \(reason)")
    }
    guard fields.count == 1 else {
      throw refuse(
        "the pad declares it \(fields.count) times, and it is not known which one applies")
    }
    let report = FeatureReport(id: field.reportID, of: descriptor)
    guard report.byteCount < FeatureReport.maximumLength else {
      throw refuse("its report has \(report.byteCount) bytes, more than the kernel can send")
    }
    let carried = report.fields.filter { !$0.isConstant }
    guard !carried.contains(where: descriptor.isOfVendor) else {
      throw refuse("its report also contains a field of the vendor's own, which is never written")
    }
    // Its first usage does not state what else may be in it.
    guard !carried.contains(where: { $0.isArray && $0.usage != setting.usage }) else {
      throw refuse("its report also contains a list of usages, and it is not known what they do")
    }
    if let origin = field.inherited.logicalMaximum, origin != .buttonPressThreshold,
      origin.page != Usage.intensity.page
    {
      throw refuse("the pad declares no range for it, and the one before is that of \(origin.name)")
    }
    return try PadControl(setting, field)
  }

  /// The declared setting.
  ///
  /// - Throws: `not_declared`, with what is known.
  package func control(_ setting: PadSetting) throws(PadError) -> PadControl {
    if let control = controls.first(where: { $0.setting == setting }) { return control }
    throw refusals[setting]
      ?? PadError(.notDeclared, "this pad does not declare that its \(setting.name) can be set")
  }

  /// The report that contains a setting.
  func report(of control: PadControl) -> FeatureReport? {
    reports.first { $0.id == control.field.reportID }
  }

  /// The other settings in the reports of these.
  func neighbors(of settings: some Collection<PadSetting>) -> [PadSetting] {
    let reports = controls.filter { settings.contains($0.setting) }.map(\.field.reportID)
    return controls.filter { reports.contains($0.field.reportID) }.map(\.setting)
      .filter { !settings.contains($0) }
  }

  /// The settings in a report.
  func controls(in report: FeatureReport) -> [PadControl] {
    controls.filter { $0.field.reportID == report.id }
  }
}

extension ReportDescriptor {
  /// Whether the vendor has defined a field: its usage, that of a collection around it, or its waveform.
  fileprivate func isOfVendor(_ field: ReportField) -> Bool {
    FeatureReport.isVendor(field) || path(of: field).contains { $0.page >= 0xff00 }
      || field.usage.page == 0x0e && (0x2001...0x2fff).contains(field.usage.id)
  }
}
