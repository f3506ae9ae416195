internal import CLinux
internal import Glibc
internal import PressureDevices
internal import PressureKit
internal import PressureSystem

/// Sends and receives the feature reports of a pad; the bytes are those of the report without its number.
///
/// The messages of errors are to follow "the pad ".
package protocol FeatureNode {
  func set(_ bytes: [UInt8], report id: UInt8?) throws(PadError)
  func get(report id: UInt8?, count: Int) throws(PadError) -> [UInt8]
}

extension PadError {
  static func refused(_ number: Int32) -> PadError {
    PadError(.padError, "answered with an error: \(String(cString: strerror(number)))")
  }
}

/// The hidraw node of a pad.
///
/// Calls block: the drivers of the kernel wait for an answer for at most five seconds.
package final class HIDNode: FeatureNode {
  /// An error after this time is that of a wait that has ended.
  private static let timeout: Int64 = 4_000_000

  /// A driver that is being removed reports errors for this time, in milliseconds, before its node hangs up.
  private static let removalTime: Int32 = 500

  private let file: Descriptor

  /// Opens the node, and compares it with the pad that is expected, as numbers of nodes are used again.
  package init(_ pad: PadDevice) throws(PadError) {
    file = Descriptor(open(pad.path, O_RDWR | O_CLOEXEC | O_NONBLOCK | O_NOCTTY))
    let number = errno
    guard file.number >= 0 else { throw HIDNode.error(number, pad.path) }
    guard model == pad.model, descriptor == pad.descriptor,
      FileNames.linked(by: "\(PadFolder.path)/\(pad.node)/device") ?? "" == pad.instance
    else {
      throw PadError(.gone, "\(pad.path) belongs to another device by now; nothing was written")
    }
  }

  private static func error(_ number: Int32, _ path: String) -> PadError {
    let reason = String(cString: strerror(number))
    return switch number {
    case EACCES, EPERM:
      PadError(
        .notPermitted, "no permission to write to \(path); only root and the service have it")
    case ENOENT, ENXIO, ENODEV: PadError(.gone, "the pad is gone: \(path): \(reason)")
    default: PadError(.failed, "cannot open \(path): \(reason)")
    }
  }

  private var model: String? {
    var identity = hidraw_devinfo()
    guard pressured_get_hid_identity(file.number, &identity) == 0 else { return nil }
    return PadDevice.model(
      vendor: UInt16(bitPattern: identity.vendor), product: UInt16(bitPattern: identity.product))
  }

  private var descriptor: [UInt8] {
    let capacity = ReportDescriptor.maximumLength
    return [UInt8](unsafeUninitializedCapacity: capacity) { buffer, count in
      count = max(Int(pressured_get_descriptor(file.number, buffer.baseAddress, capacity)), 0)
    }
  }

  package func set(_ bytes: [UInt8], report id: UInt8?) throws(PadError) {
    var bytes = [id ?? 0] + bytes
    do throws(PadError) {
      _ = try call(&bytes, pressured_set_feature)
    } catch {
      var entry = pollfd(fd: file.number, events: 0, revents: 0)
      guard error.code == .padError, poll(&entry, 1, HIDNode.removalTime) > 0 else { throw error }
      throw HIDNode.gone
    }
  }

  package func get(report id: UInt8?, count: Int) throws(PadError) -> [UInt8] {
    var bytes = [id ?? 0] + Array(repeating: 0, count: count)
    let length = try call(&bytes, pressured_get_feature)
    return try FeatureReport.data(of: Array(bytes.prefix(length)), report: id, count: count)
  }

  private func call(
    _ bytes: inout [UInt8], _ request: (Int32, UnsafeMutableRawPointer?, Int32) -> Int32
  ) throws(PadError) -> Int {
    let begin = Timestamp.now.microseconds
    let count = Int32(bytes.count)
    let result = bytes.withUnsafeMutableBytes { request(file.number, $0.baseAddress, count) }
    let number = errno
    guard result < 0 else { return Int(result) }
    let elapsed = Timestamp.now.microseconds - begin
    switch number {
    case ENODEV, ENXIO: throw HIDNode.gone
    case EIO where elapsed >= HIDNode.timeout, ETIMEDOUT:
      let seconds = (elapsed + 500_000) / 1_000_000
      throw PadError(.noAnswer, "did not answer within \(seconds) seconds")
    default: throw .refused(number)
    }
  }

  private static let gone = PadError(.gone, "is gone")
}
