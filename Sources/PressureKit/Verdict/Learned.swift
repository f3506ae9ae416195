/// What a device has shown of itself, which is kept while it is closed.
package struct Learned: Hashable, Sendable {
  /// The force of its own clicks.
  package var clicks = ClickForce()

  /// What its stream has shown about its pressure.
  package var evidence = StreamEvidence()

  /// Nothing is known.
  package init() {}

  package init(clicks: ClickForce, evidence: StreamEvidence) {
    (self.clicks, self.evidence) = (clicks, evidence)
  }

  /// What is kept until the next start: no few clicks, from which nothing follows, and not that the device is broken.
  package var lasting: Learned {
    var lasting = self
    lasting.evidence.isConstant = false
    if clicks.raw == nil { lasting.clicks = ClickForce() }
    return lasting
  }

  /// What follows from it.
  package var conclusions: Conclusions { Conclusions(click: clicks.raw, evidence: evidence) }

  /// What follows from clicks and values; single ones make no difference.
  package struct Conclusions: Hashable {
    let click: Int32?
    let evidence: StreamEvidence
  }
}
