import PressureKit
import Testing

@Test func `a device without overrides has the general settings`() {
  var configuration = Configuration()
  configuration.nominalFullScaleGrams = 400
  configuration.devices = [DeviceConfiguration(match: "0003-*")]
  configuration.devices[0].ignored = true
  let settings = configuration.settings(for: "0018-06cb-cd41")
  #expect(settings.nominalFullScaleGrams == 400)
  #expect(settings.effectiveMaximum == nil)
  #expect(!settings.ignored)
  #expect(settings.press == configuration.press)
}

@Test func `of several matching overrides the last one applies`() {
  var all = DeviceConfiguration(match: "*")
  all.ignored = true
  all.nominalFullScaleGrams = 500
  all.press = PressConfiguration()
  all.press?.holdMilliseconds = 700
  var one = DeviceConfiguration(match: "0018-06cb-*")
  one.ignored = false
  one.effectiveMaximum = 200
  var configuration = Configuration()
  configuration.devices = [all, one]
  let settings = configuration.settings(for: "0018-06cb-cd41")
  #expect(!settings.ignored)
  #expect(settings.effectiveMaximum == 200)
  #expect(settings.nominalFullScaleGrams == 500)
  #expect(settings.press.holdMilliseconds == 700)
  #expect(configuration.settings(for: "0003-1").ignored)
}
