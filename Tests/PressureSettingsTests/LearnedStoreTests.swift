import Glibc
import PressureSystem
import PressureTestSupport
import Testing

@testable import PressureKit
@testable import PressureSettings

struct LearnedStoreTests {
  private let folder: StateFolderForTests
  private let device = DeviceID(uniqueID: "a")
  private let axis = Axis(minimum: 0, maximum: 2601)

  init() throws { folder = try StateFolderForTests() }

  private var store: LearnedStore { CalibrationStore(stateFolder: folder.path).learned }
  private var directory: String { "\(folder.path)/learned" }
  private var path: String { "\(directory)/0018-06cb-cd41-a.yaml" }

  private func learned(_ maximum: Int32, clicks: [Int32] = [70, 71, 72, 73, 74]) -> Learned {
    var evidence = StreamEvidence()
    (evidence.usedMaximum, evidence.followsArea) = (maximum, false)
    return Learned(
      clicks: ClickForce(clicks, strengths: clicks.map { Double($0) + 30.125 }), evidence: evidence)
  }

  private func replace(_ text: String) throws {
    let body = "version: 1\ndevice: \"\(device.text)\"\n" + text
    try Files.write(StoredFile.bytes(of: body), to: path)
  }

  @Test func `what was learned is found again, on its axis only`() throws {
    #expect(store.find(device, on: axis).learned == Learned())
    try store.keep(learned(450), of: device, on: axis)
    #expect(store.find(device, on: axis).learned == learned(450))
    #expect(store.find(device, on: Axis(minimum: 0, maximum: 255)).learned == Learned())
    try store.keep(learned(500), of: device, on: axis)
    #expect(store.find(device, on: axis).learned == learned(500))
    try store.keep(Learned(), of: device, on: axis)
    #expect(access(path, F_OK) != 0)
  }

  @Test func `a file is written only if something else follows`() throws {
    try store.keep(learned(450), of: device, on: axis)
    unlink(path + ".new")
    let before = try Files.bytes(path)
    try store.keep(learned(450, clicks: [71, 72, 72, 72, 75]), of: device, on: axis)
    #expect(try Files.bytes(path) == before)
  }

  @Test func `few clicks and a broken axis are not kept`() throws {
    var few = Learned(clicks: ClickForce([70, 71]), evidence: StreamEvidence())
    few.evidence.isConstant = true
    try store.keep(few, of: device, on: axis)
    #expect(access(path, F_OK) != 0)
  }

  @Test(
    arguments: [
      "", "axis: 1\n", "axis: { minimum: 0, maximum: 2601, resolution: 0 }\nclicks: [a]\n",
      "axis: { minimum: 0, maximum: 2601, resolution: 0 }\nmaximum: 1e99\n",
      "axis: { minimum: 0, maximum: 2601, resolution: 0 }\nunknown: 1\n",
    ])
  func `an invalid file is ignored with the reason`(text: String) throws {
    try store.keep(learned(450), of: device, on: axis)
    try replace(text)
    let finding = store.find(device, on: axis)
    #expect(finding.learned == Learned() && finding.warning?.contains(path) == true)
    try store.keep(learned(500), of: device, on: axis)
    #expect(store.find(device, on: axis).learned == learned(500))
  }

  @Test func `no other files are removed, also not through a link`() throws {
    let other = "\(folder.path)/other"
    try AtomicFile.createFolders(other)
    for number in 0..<100 {
      for name in ["\(number)", "\(number).yaml"] {
        try Files.write([], to: "\(other)/\(name)")
      }
    }
    symlink(other, directory)
    try? store.keep(learned(450), of: device, on: axis)
    #expect(FileNames.names(in: other).count >= 200)
    unlink(directory)
    #expect(rename(other, directory) == 0)
    // Written through the link, as calibrations are.
    unlink(path)
    try store.keep(learned(450), of: device, on: axis)
    let names = FileNames.names(in: directory)
    #expect(names.count { !$0.hasSuffix(".yaml") } == 100)
    #expect(names.count { $0.hasSuffix(".yaml") } == LearnedStore.capacity)
  }

  @Test func `implausible values are ignored`() throws {
    try store.keep(learned(450), of: device, on: axis)
    try replace(
      "axis: { minimum: 0, maximum: 2601, resolution: 0 }\nmaximum: -5\nclicks: [-1, 0, \((1...30).map(String.init).joined(separator: ", "))]\n"
    )
    let found = store.find(device, on: axis).learned
    #expect(found.evidence.usedMaximum == nil && found.clicks.values == Array(6...30))
  }

  @Test func `a truncated file and one of another version are ignored`() throws {
    try store.keep(learned(450), of: device, on: axis)
    let bytes = try Files.bytes(path)
    try Files.write(bytes.dropLast(4), to: path)
    #expect(store.find(device, on: axis).warning != nil)
    let text = StoredFile.bytes(of: "version: 2\ndevice: \"x\"\n")
    try Files.write(text, to: path)
    #expect(store.find(device, on: axis).warning?.contains("version 2") == true)
  }

  @Test func `the number of files is bounded`() throws {
    for number in 0...LearnedStore.capacity {
      try store.keep(learned(450), of: DeviceID(uniqueID: "\(number)"), on: axis)
    }
    let names = FileNames.names(in: directory)
    #expect(names.count == LearnedStore.capacity)
    #expect(store.find(DeviceID(uniqueID: "64"), on: axis).learned == learned(450))
  }
}
