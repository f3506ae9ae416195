/// Traps if an invariant is violated: libFuzzer keeps the input.
func require(_ condition: Bool, _ name: @autoclosure () -> String) {
  if !condition { fatalError(name()) }
}

/// Traps with the violation that a checker has recorded.
func require(unbroken broken: String?) {
  if let broken { fatalError(broken) }
}
