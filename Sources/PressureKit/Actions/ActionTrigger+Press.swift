extension ActionTrigger {
  /// Whether a press that has just come into a stage performs the action.
  public func fires(for press: Press, on device: DeviceID) -> Bool {
    press.comesIntoStage && press.stage == stage && fingers.allows(press.fingers)
      && self.device.matches(device.text) && (region == nil || region == press.target?.name)
  }
}
