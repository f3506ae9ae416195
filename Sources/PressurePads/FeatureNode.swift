internal import CLinux
internal import Glibc
internal import PressureDevices
internal import PressureSystem

/// Why a pad did not accept or return a report.
package enum FeatureError: Error, Hashable {
  /// It answered with this error number.
  case refused(Int32)
  /// It did not answer within this many seconds.
  case noAnswer(seconds: Int)
  /// It has not answered an earlier request, so that this one was not sent.
  case stuck(seconds: Int)
  /// The request could not be sent, because of this error number of the system.
  case notSent(Int32)
  /// It is gone.
  case gone

  /// The reason, to follow "the pad ".
  package var reason: String {
    switch self {
    case .refused(let number): "answered with an error: \(String(cString: strerror(number)))"
    case .noAnswer(let seconds): "did not answer within \(seconds) seconds"
    case .stuck(let seconds): "did not answer an earlier request within \(seconds) seconds"
    case .notSent(let number): "could not be sent a request: \(String(cString: strerror(number)))"
    case .gone: "is gone"
    }
  }

  package var code: PadError.Code {
    switch self {
    case .refused: .padError
    case .noAnswer, .stuck: .noAnswer
    case .notSent: .failed
    case .gone: .gone
    }
  }

  /// Whether the report certainly did not take effect.
  ///
  /// A pad refuses a report with a stall, the kernel one that does not fit. After another error it may have arrived, as only
  /// its acknowledgement may be lost; some drivers report all errors of a device as EIO.
  package var isRefusal: Bool {
    switch self {
    case .refused(let number): number == EPIPE || number == EINVAL
    case .stuck, .notSent: true
    case .noAnswer, .gone: false
    }
  }
}

/// Sends and receives the feature reports of a pad; the bytes are those of the report without its number.
package protocol FeatureNode: AnyObject {
  func set(_ bytes: [UInt8], report id: UInt8?) throws(FeatureError)
  func get(report id: UInt8?, count: Int) throws(FeatureError) -> [UInt8]

  /// Whether the pad is gone, or is just being removed.
  var isGone: Bool { get }
}

/// The hidraw node of a pad.
package final class HIDNode: FeatureNode {
  /// The kernel waits for at most five seconds; a driver that waits for longer must not stop the program.
  private static let patience: Int32 = 6000

  /// When a node is opened, its driver may send several reports.
  private static let openPatience: Int32 = 16_000

  /// An error after this time, in milliseconds, is that of a wait that has ended.
  private static let kernelPatience: Int64 = 4000

  private let file: OpenNode

  /// Whether a request has not come back: no other one is sent.
  private var isStuck = false

  /// Opens the node, and compares it with the pad that is expected, as numbers of nodes are used again.
  ///
  /// - Throws: why it cannot be used.
  package init(_ pad: PadDevice) throws(PadError) {
    file = try HIDNode.open(pad.path)
    guard HIDNode.model(of: file.number) == pad.model,
      HIDNode.descriptor(of: file.number) == pad.descriptor,
      PadFolder.instance(of: pad.node) == pad.instance
    else {
      throw PadError(.gone, "\(pad.path) belongs to another device by now; nothing was written")
    }
  }

  private static func open(_ path: String) throws(PadError) -> OpenNode {
    let call: DriverCall
    let isBack: Bool
    do throws(FeatureError) {
      call = try DriverCall { _ in
        Glibc.open(path, O_RDWR | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
      }
      isBack = try call.perform(milliseconds: openPatience)
    } catch {
      throw PadError(error.code, "the pad \(error.reason)")
    }
    guard isBack else {
      // What is opened later stays open until the program ends, which a service does when idle.
      throw PadError(
        .noAnswer, "the pad did not answer within \(openPatience / 1000) seconds when it was opened"
      )
    }
    guard call.result < 0 else { return OpenNode(call.result) }
    let reason = String(cString: strerror(call.number))
    switch call.number {
    case EACCES, EPERM:
      throw PadError(
        .notPermitted, "no permission to write to \(path); only root and the service have it")
    case ENOENT, ENXIO, ENODEV: throw PadError(.gone, "the pad is gone: \(path): \(reason)")
    default: throw PadError(.failed, "cannot open \(path): \(reason)")
    }
  }

  private static func model(of number: Int32) -> String? {
    var identity = hidraw_devinfo()
    guard pressured_get_hid_identity(number, &identity) == 0 else { return nil }
    return PadDevice.model(
      vendor: UInt16(bitPattern: identity.vendor), product: UInt16(bitPattern: identity.product))
  }

  private static func descriptor(of number: Int32) -> [UInt8]? {
    let capacity = ReportDescriptor.maximumLength
    var length: Int32 = -1
    let bytes = [UInt8](unsafeUninitializedCapacity: capacity) { buffer, count in
      length = pressured_get_descriptor(number, buffer.baseAddress, capacity)
      count = Int(max(length, 0))
    }
    return length < 0 ? nil : bytes
  }

  /// A driver that is being removed reports errors for this time, in milliseconds, before its node hangs up.
  private static let removalTime: Int32 = 500

  package var isGone: Bool {
    var entry = pollfd(fd: file.number, events: 0, revents: 0)
    return poll(&entry, 1, HIDNode.removalTime) > 0
  }

  package func set(_ bytes: [UInt8], report id: UInt8?) throws(FeatureError) {
    _ = try call([id ?? 0] + bytes, isWriting: true)
  }

  package func get(report id: UInt8?, count: Int) throws(FeatureError) -> [UInt8] {
    let bytes = try call([id ?? 0] + Array(repeating: 0, count: count), isWriting: false)
    return try FeatureReport.data(of: bytes, report: id, count: count)
  }

  private func call(_ bytes: [UInt8], isWriting: Bool) throws(FeatureError) -> [UInt8] {
    guard !isStuck else { throw .stuck(seconds: Int(HIDNode.patience) / 1000) }
    // The node stays open until the call has come back.
    let call = try DriverCall(bytes) { [file] bytes in
      let count = Int32(bytes.count)
      return bytes.withUnsafeMutableBytes { buffer in
        isWriting
          ? pressured_set_feature(file.number, buffer.baseAddress, count)
          : pressured_get_feature(file.number, buffer.baseAddress, count)
      }
    }
    let begin = SuspendingClock.now
    guard try call.perform(milliseconds: HIDNode.patience) else {
      isStuck = true
      throw .noAnswer(seconds: Int(HIDNode.patience) / 1000)
    }
    guard call.result < 0 else { return Array(call.bytes.prefix(Int(call.result))) }
    let elapsed = (SuspendingClock.now - begin) / .milliseconds(1)
    switch call.number {
    case ENODEV, ENXIO: throw .gone
    case ETIMEDOUT: throw .noAnswer(seconds: Int((elapsed / 1000).rounded()))
    case EIO where elapsed >= Double(HIDNode.kernelPatience):
      throw .noAnswer(seconds: Int((elapsed / 1000).rounded()))
    default: throw .refused(call.number)
    }
  }
}

/// An open node, which is closed in a thread: the driver may send reports then, too.
private final class OpenNode {
  let number: Int32

  init(_ number: Int32) { self.number = number }

  deinit {
    let number = number
    if !DetachedThread.start({ close(number) }) { close(number) }
  }
}

/// A call to a driver in a thread of its own, as no driver can be told how long to wait.
///
/// The thread owns it, too, so that it may come back after everybody has stopped to wait. `result`, `number` and `bytes`
/// are read only once `done` is readable.
private final class DriverCall: @unchecked Sendable {
  private let done: Descriptor
  private let body: (inout [UInt8]) -> Int32
  private(set) var bytes: [UInt8]
  private(set) var result: Int32 = -1
  private(set) var number: Int32 = 0

  init(_ bytes: [UInt8] = [], _ body: @escaping (inout [UInt8]) -> Int32) throws(FeatureError) {
    let event = eventfd(0, Int32(EFD_CLOEXEC))
    guard event >= 0 else { throw .notSent(errno) }
    done = Descriptor(event)
    self.bytes = bytes
    self.body = body
  }

  /// Performs it and waits; false if it has not come back.
  func perform(milliseconds: Int32) throws(FeatureError) -> Bool {
    guard DetachedThread.start({ self.run() }) else { throw .notSent(EAGAIN) }
    var entry = pollfd(fd: done.number, events: Int16(POLLIN), revents: 0)
    var count: Int32
    repeat { count = poll(&entry, 1, milliseconds) } while count < 0 && errno == EINTR
    return count > 0
  }

  private func run() {
    result = body(&bytes)
    number = result < 0 ? errno : 0
    var one: UInt64 = 1
    _ = withUnsafeBytes(of: &one) { DescriptorWriter.writeAll($0, to: done.number) }
  }
}
