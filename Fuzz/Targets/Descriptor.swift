import PressureDevices
import PressureKit

/// Report descriptors: each is an error or fields within their reports, and the facts are finite.
func fuzzDescriptor(_ input: UnsafeBufferPointer<UInt8>) {
  let bytes = Array(input)
  let descriptor: ReportDescriptor
  do throws(ReportDescriptorError) {
    descriptor = try ReportDescriptor(bytes)
  } catch {
    require((0...bytes.count).contains(error.offset), "the error is at a byte of the descriptor")
    require(!error.sentence.isEmpty, "an error has a sentence")
    return
  }
  require(bytes.count <= ReportDescriptor.maximumLength, "a descriptor has a maximum length")
  for field in descriptor.fields {
    require(field.bitSize > 0 && field.count > 0, "a field is not empty")
    require(
      field.bitOffset >= 0 && field.bitOffset + field.bitSize * field.count <= 16_384 * 8,
      "a field is within the largest report")
    require(descriptor.path(of: field).count <= 32, "collections are not nested deeper")
  }
  guard let facts = DescriptorFacts(descriptor) else { return }
  if let unit = facts.pressure?.unitsPerGram {
    require(unit.isFinite && unit > 0, "units per gram are a positive number")
  }
  if let grams = facts.clickGrams {
    require(grams.upperBound.isFinite && grams.upperBound > 0, "the force of a click is a number")
  }
}
