internal import Glibc

/// Threads for which nobody waits.
package enum DetachedThread {
  /// What a thread does; its context.
  private final class Work {
    let body: () -> Void

    init(_ body: @escaping () -> Void) { self.body = body }
  }

  /// Starts a thread, which owns what the body captures; returns false if that is not possible.
  package static func start(_ body: @escaping () -> Void) -> Bool {
    var thread = pthread_t()
    let context = Unmanaged.passRetained(Work(body))
    let status = pthread_create(
      &thread, nil,
      { context in
        if let context { Unmanaged<Work>.fromOpaque(context).takeRetainedValue().body() }
        return nil
      }, context.toOpaque())
    guard status == 0 else {
      context.release()
      return false
    }
    pthread_detach(thread)
    return true
  }
}
