extension JSONLinesWriter {
  /// Adds what another configuration changes, as the answer to `reload` has it.
  ///
  /// - Parameters:
  ///   - keys: the settings that are others now, as the file names them.
  ///   - late: those of them that take a restart.
  public mutating func appendReload(changed keys: [String], needingRestart late: [String]) {
    append("{\"changed\":")
    append(quoted: keys)
    append(",\"needs_restart\":")
    append(quoted: late)
    append("}")
  }
}
