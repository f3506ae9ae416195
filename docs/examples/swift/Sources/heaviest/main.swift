// Prints the weight of the heaviest contact whenever the contact changes.
// usage: heaviest [SOCKET]

import FoundationEssentials
import Glibc
import PressureKit
import PressureProtocol

/// Connects to a daemon and returns a C stream, for line-based input.
func connect(to path: String) -> UnsafeMutablePointer<FILE>? {
  var address = sockaddr_un()
  address.sun_family = sa_family_t(AF_UNIX)
  guard path.utf8.count < MemoryLayout.size(ofValue: address.sun_path) else { return nil }
  withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
  let file = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
  let status = withUnsafeBytes(of: &address) {
    Glibc.connect(
      file, $0.baseAddress?.assumingMemoryBound(to: sockaddr.self), socklen_t($0.count))
  }
  return status == 0 ? fdopen(file, "r+") : nil
}

/// Returns the next line, or nil at the end of the stream.
func line(from stream: UnsafeMutablePointer<FILE>) -> Data? {
  var text: UnsafeMutablePointer<CChar>?
  var capacity = 0
  defer { free(text) }
  let count = getline(&text, &capacity, stream)
  guard count > 0, let text else { return nil }
  return Data(bytes: text, count: count)
}

let path = CommandLine.arguments.dropFirst().first ?? "/run/pressured/pressured.sock"
guard let stream = connect(to: path) else { fatalError("no daemon answers at \(path)") }
fputs("{\"do\":\"subscribe\",\"events\":[\"device\",\"heaviest\"]}\n", stream)
fflush(stream)

var sources: [String: ProtocolValue<WeightSource>] = [:]
while let line = line(from: stream) {
  switch try JSONDecoder().decode(ReceivedEvent.self, from: line) {
  case .device(let device): sources[device.device] = device.weightSource
  case .heaviest(let heaviest):
    let about = sources[heaviest.device] == .known(.nominal) ? "≈ " : ""
    print(heaviest.grams.map { "\(about)\($0) g" } ?? "nobody")
    fflush(nil)
  default: break
  }
}
