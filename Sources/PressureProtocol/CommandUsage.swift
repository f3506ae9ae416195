/// What each request is called, which arguments it takes, and what it does: the one list that the
/// greeting, the help text and the tests of schema and manual page are made from.
package struct CommandUsage {
  /// The verb, then `key=value` words; those that may be left out are in brackets.
  package let form: String

  /// Lines of at most 70 characters.
  package let summary: [String]

  private init(_ form: String, _ summary: String...) {
    (self.form, self.summary) = (form, summary)
  }

  package var verb: Substring { form.prefix { $0 != " " } }

  /// All forms of all requests, in the order of the manual page.
  package static let all = [
    CommandUsage("help", "this text"),
    CommandUsage("ping", "a sign of life"),
    CommandUsage("version", "the versions of program and protocol"),
    CommandUsage("devices [from=N]", "the devices that are read"),
    CommandUsage("state [device=D] [from=N]", "what lies on each device"),
    CommandUsage(
      "subscribe [events=E,…] [devices=D,…] [max_hz=N] [min_change_grams=G]",
      "what to hear from now on; max_hz=0 is every frame"),
    CommandUsage(
      "weigh [device=D] [timeout_ms=N]",
      "the next stable reading; nothing else is answered before it"),
    CommandUsage("tare [device=D]", "what lies there now does not count"),
    CommandUsage("untare [device=D]", "all that lies there counts again"),
    CommandUsage("zero [device=D]", "what is read now is nothing; only near zero"),
    CommandUsage("hold [device=D]", "the reading stays as it is"),
    CommandUsage("release [device=D]", "the reading follows again"),
    CommandUsage(
      "target [device=D] [grams=G] [tolerance=G]", "a net weight to be reached; grams=0 is none"),
    CommandUsage(
      "count [device=D] [sample=N]",
      "how many pieces there are; sample=N says how many there are now"),
    CommandUsage("history [device=D] [last=N]", "the last stable readings"),
    CommandUsage("actions [from=N]", "the quick actions that there are"),
    CommandUsage(
      "perform type=T [device=D]", "performs one; the answer says whether it was handled"),
    CommandUsage("stats [from=N]", "what has been done so far, in numbers"),
    CommandUsage(
      "calibrate [device=D] step=begin",
      "measures the empty surface; then, with known weights on it,"),
    CommandUsage(
      "calibrate [device=D] step=point grams=G",
      "twice or more; each lies still for a second before"),
    CommandUsage(
      "calibrate [device=D] step=finish", "weighs by them from the next touch on; or step=cancel"),
    CommandUsage(
      "grab [device=D] on=true",
      "its touches no longer reach the desktop, until on=false or you leave;",
      "begins and ends only while nothing touches it"),
    CommandUsage(
      "add_action type=T title=T [subtitle=S] [icon=I] [icon_file=F] [user_info={…}]"
        + " [press=STAGE] [fingers=N] [region=R] [device=D]",
      "a quick action for as long as you stay; with press, one that presses perform"),
    CommandUsage("remove_action type=T", "removes one that you have added"),
    CommandUsage("reload", "reads the configuration again; it holds from the next touch on"),
  ]
}

extension CommandUsage {
  private static let column = 26

  /// The form, and beside it or below it the summary.
  fileprivate var text: String {
    let margin = String(repeating: " ", count: CommandUsage.column)
    let room = CommandUsage.column - form.count
    guard room >= 1 else { return ([form] + summary.map { margin + $0 }).joined(separator: "\n") }
    return form + String(repeating: " ", count: room)
      + summary.joined(separator: "\n" + margin)
  }
}

extension Command {
  /// The verbs, in the order of the manual page.
  public static let names = CommandUsage.all.reduce(into: [String]()) { names, usage in
    let verb = String(usage.verb)
    if names.last != verb { names.append(verb) }
  }

  /// What `help` answers.
  public static let helpText = CommandUsage.all.map(\.text).joined(separator: "\n")
}
