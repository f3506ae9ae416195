// Prints the weight of the heaviest contact whenever it changes, so that the last line is what it settled at.
// usage: heaviest [SOCKET]

import Glibc
import PressureClient
import PressureKit
import PressureProtocol

let client = DaemonClient(
  paths: CommandLine.arguments.dropFirst().first.map { [$0] },
  subscription: .subscribe(events: [.device, .weight]), reconnects: false)

var sources: [String: ProtocolValue<WeightSource>] = [:]
var shown: [String: String] = [:]
do {
  for try await event in client.events {
    switch event {
    case .device(let device): sources[device.device] = device.weightSource
    case .weight(let weight):
      let sign = sources[weight.device] == .known(.nominal) ? "≈ " : ""
      let heaviest = weight.contacts.first { $0.contact == weight.heaviest }
      let text = heaviest?.grams.map { "\(sign)\($0) g" } ?? "none"
      if text != shown[weight.device] { print(text) }
      shown[weight.device] = text
      fflush(nil)
    default: break
    }
  }
} catch .disconnected {
  // The daemon has ended.
} catch {
  print(error)
  exit(1)
}
