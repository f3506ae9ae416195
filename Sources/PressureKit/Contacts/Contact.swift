/// One finger, pen or plum on a surface.
///
/// The corresponding class of UIKit is `UITouch`.
public struct Contact: Hashable, Sendable {
  /// Where in its life a contact is.
  public enum Phase: String, Sendable {
    /// It came down in this frame.
    case began
    /// Its place or its pressure changed in this frame.
    case moved
    /// It is down and nothing of it changed in this frame.
    case stationary
    /// It was lifted.
    case ended
    /// It was no touch after all (a palm), or its device went away.
    case cancelled
  }

  private let slotNumber: Int32

  /// Who it is; unique on its device from began to ended.
  public let id: TrackingID

  /// The sensor's value in its own units; nil where there is no pressure axis.
  public internal(set) var raw: Int32?

  public internal(set) var phase: Phase

  /// Whether the sensor is at the end of its range and can say no more.
  public internal(set) var isSaturated: Bool

  public internal(set) var location: Location
  public internal(set) var force: Force
  private var sparseWeight = SparseWeight(nil)
  var shape = ContactShape()

  /// When it came down.
  public let beganAt: Timestamp

  /// Counts up with each contact of the device: the smaller, the older.
  let order: Int

  /// The greatest force so far.
  public internal(set) var peakForce: Double

  private var sparsePeak = SparseWeight(nil)

  /// A contact that has just come down and is yet to be measured.
  init(slot: Int, id: TrackingID, beganAt: Timestamp, order: Int) {
    slotNumber = Int32(slot)
    self.id = id
    self.beganAt = beganAt
    self.order = order
    phase = .began
    location = Location(x: 0, y: 0)
    force = Force(ratio: 0, maximumPossible: 0)
    isSaturated = false
    peakForce = 0
  }
}

extension Contact {
  /// The number of its slot, as the wire gives it.
  public var slot: Int { Int(slotNumber) }

  /// Gross grams, untouched by any tare; nil where the device gives nothing to weigh by.
  public internal(set) var weight: Weight? {
    get { sparseWeight.value }
    set { sparseWeight = SparseWeight(newValue) }
  }

  /// The length of the area of contact, where the device states it and its resolution.
  public var majorMillimetres: Double? { shape.major }

  /// The width of the area of contact, where the device states it and its resolution.
  public var minorMillimetres: Double? { shape.minor }

  /// The length of the finger above the area of contact, where the device states it and its resolution.
  public var widthMillimetres: Double? { shape.width }

  /// Degrees by which the length is turned clockwise from the vertical, −180…180, where the device states it.
  public var angle: Double? { shape.angle }

  /// The greatest weight so far.
  public internal(set) var peakWeight: Weight? {
    get { sparsePeak.value }
    set { sparsePeak = SparseWeight(newValue) }
  }
}
