// Prints the weight of the heaviest contact whenever another contact is the heaviest.
// usage: heaviest [SOCKET]

import Glibc
import PressureClient
import PressureKit
import PressureProtocol

let client = DaemonClient(
  paths: CommandLine.arguments.dropFirst().first.map { [$0] },
  subscription: .subscribe(events: [.device, .heaviest]), reconnects: false)

var sources: [String: ProtocolValue<WeightSource>] = [:]
do {
  for try await event in client.events {
    switch event {
    case .device(let device): sources[device.device] = device.weightSource
    case .heaviest(let heaviest):
      let sign = sources[heaviest.device] == .known(.nominal) ? "≈ " : ""
      print(heaviest.grams.map { "\(sign)\($0) g" } ?? "none")
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
