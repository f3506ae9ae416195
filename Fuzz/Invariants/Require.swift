/// Ends the run where a law is broken: the fuzzer keeps the input that broke it.
func require(_ law: Bool, _ name: @autoclosure () -> String) {
  if !law { fatalError(name()) }
}

/// The same for laws that note what has broken them.
func require(unbroken broken: String?) {
  if let broken { fatalError(broken) }
}
