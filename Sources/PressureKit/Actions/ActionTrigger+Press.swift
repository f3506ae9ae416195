extension ActionTrigger {
  /// Whether a press that has just come into a stage performs the action; the device is not looked at.
  package func fires(for press: Press) -> Bool {
    press.comesIntoStage && press.stage == stage && fingers.allows(press.fingers)
      && (region == nil || region == press.target?.name)
  }
}
