import Glibc

/// All fuzz targets, in one program; the environment's FUZZ_TARGET selects the one that runs.
private let targets: [String: @Sendable (UnsafeBufferPointer<UInt8>) -> Void] = [
  "client": fuzzClient, "configuration": fuzzConfiguration,
  "descriptor": fuzzDescriptor, "engine": fuzzEngine,
  "evemu": fuzzEvemu, "evtest": fuzzEvtest,
  "getevent": fuzzGetevent, "http": fuzzHTTP, "libinput": fuzzLibinput, "line": fuzzLine,
  "padreply": fuzzPadReply, "padstore": fuzzPadStore, "plot": fuzzPlot,
  "queue": fuzzQueue, "reader": fuzzReader, "recording": fuzzRecording, "request": fuzzRequest,
  "slots": fuzzSlots,
]

private let target = {
  let name = getenv("FUZZ_TARGET").map { String(cString: $0) } ?? ""
  guard let target = targets[name] else {
    fatalError("FUZZ_TARGET=\"\(name)\" is not one of \(targets.keys.sorted())")
  }
  return target
}()

/// libFuzzer's `main` calls this with each input.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> Int32 {
  target(UnsafeBufferPointer(start: start, count: count))
  return 0
}
