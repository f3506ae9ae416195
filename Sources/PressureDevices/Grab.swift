/// Whose a device's touches are.
///
///              on, and nothing touches it        off, or the client goes
///      free ──────────────────────────────▶ held ────────────────────────▶ ending
///       ▲                                    ▲                               │  │
///       │                                    └──────────────on───────────────┘  │
///       └───────────────────────────────────────────────nothing touches it──────┘
///
/// It begins and ends with a bare surface alone: the desktop that saw a touch begin and not end would
/// hold it for ever.
package enum Grab: Hashable {
  /// Everybody's who reads the device.
  case free
  /// A client's, by its number.
  case held(by: Int)
  /// Nobody's any more, but something still touches the surface.
  case ending
}
