/// The verb, arguments and summary of each request.
///
/// The `hello` line, the help text, and the tests of the schema and of the manual page are derived from this list.
package struct CommandUsage {
  /// The verb, then `key=value` words; optional ones are in brackets.
  package let form: String

  /// The summary in lines of at most 70 characters.
  package let summary: [String]

  private init(_ form: String, _ summary: String...) {
    (self.form, self.summary) = (form, summary)
  }

  package var verb: Substring { form.prefix { $0 != " " } }

  /// All forms of all requests, in the order of the manual page.
  package static let all = [
    CommandUsage("help", "this text"),
    CommandUsage("ping", "tests the connection"),
    CommandUsage("version", "the versions of program and protocol"),
    CommandUsage("devices [from=N]", "lists the devices"),
    CommandUsage("state [device=D] [from=N]", "the contacts and the reading of each device"),
    CommandUsage(
      "subscribe [events=E,…] [devices=D,…] [max_hz=N] [min_change_grams=G]",
      "selects the events to receive; max_hz=0 means each frame"),
    CommandUsage(
      "weigh [device=D] [timeout_ms=N]",
      "waits for a stable reading; later requests wait until then"),
    CommandUsage("tare [device=D]", "subtracts the current weight from now on"),
    CommandUsage("untare [device=D]", "clears the tare"),
    CommandUsage("zero [device=D]", "sets the zero to the current reading; only near zero"),
    CommandUsage("hold [device=D]", "holds the reading"),
    CommandUsage("release [device=D]", "releases a held reading"),
    CommandUsage(
      "target [device=D] [grams=G] [tolerance=G]", "sets a target net weight; grams=0 removes it"),
    CommandUsage(
      "count [device=D] [sample=N]",
      "counts pieces; sample=N is the number of pieces on it now"),
    CommandUsage("history [device=D] [last=N]", "the last stable readings"),
    CommandUsage("actions [from=N]", "lists the quick actions"),
    CommandUsage(
      "perform type=T [device=D]", "performs an action; returns whether it was handled"),
    CommandUsage("stats [from=N]", "counters of the daemon, its devices and its clients"),
    CommandUsage(
      "calibrate [device=D] step=begin [weights_percent=P]",
      "measures the empty surface; then, for two or more known weights,"),
    CommandUsage(
      "calibrate [device=D] step=point grams=G [condition=C]",
      "measures one that has been at rest for a second"),
    CommandUsage(
      "calibrate [device=D] step=finish",
      "applies the calibration from the next touch on; or step=cancel"),
    CommandUsage(
      "grab [device=D] on=true",
      "hides its touches from the desktop until on=false or you disconnect;",
      "starts and ends only while nothing touches it"),
    CommandUsage(
      "add_action type=T title=T [subtitle=S] [icon=I] [icon_file=F] [user_info={…}]"
        + " [press=STAGE] [fingers=N] [region=R] [device=D]",
      "adds a quick action until you disconnect; press= lets a press perform it"),
    CommandUsage("remove_action type=T", "removes an action that you added"),
    CommandUsage("reload", "reloads the configuration; it applies from the next touch on"),
  ]
}

extension CommandUsage {
  private static let column = 26

  /// The form, with the summary to the right of it or, if the form is too long, below it.
  fileprivate var text: String {
    let margin = String(repeating: " ", count: CommandUsage.column)
    let padding = CommandUsage.column - form.count
    guard padding >= 1 else {
      return ([form] + summary.map { margin + $0 }).joined(separator: "\n")
    }
    return form + String(repeating: " ", count: padding)
      + summary.joined(separator: "\n" + margin)
  }
}

extension Command {
  /// The verbs, in the order of the manual page.
  package static let names = CommandUsage.all.reduce(into: [String]()) { names, usage in
    let verb = String(usage.verb)
    if names.last != verb { names.append(verb) }
  }

  /// The result of `help`.
  package static let helpText = CommandUsage.all.map(\.text).joined(separator: "\n")
}
