extension Contact {
  /// Makes place, force and weight of the kernel's values.
  @inline(__always)
  package mutating func measure(_ values: SlotValues, pressure: Int32, on surface: Surface) {
    location = surface.location(x: values.x, y: values.y)
    if surface.hasShape { shape = surface.shape(values) }
    // What hovers does not press, whatever the sensor sees of it.
    let isHovering = values.distance > 0
    if isHovering {
      traits.insert(.hovering)
    } else {
      traits.remove(.hovering)
      traits.insert(.touched)
      if values.major >= surface.largeMajor { traits.insert(.large) }
    }
    guard let axis = surface.pressure else { return }
    raw = pressure
    let pressed = isHovering ? axis.axis.minimum : pressure
    force = axis.force(of: pressed)
    isSaturated = axis.isSaturated(pressed)
    weight = surface.calibration.map { law in
      isHovering ? law.nothing : law.weight(raw: pressed, ratio: force.ratio)
    }
    if surface.isPerContact { notePeak(weight: weight) }
  }

  /// Remembers the greatest force and weight, of which a part of a sensor's total may be its own.
  mutating func notePeak(weight: Weight?) {
    peakForce = max(peakForce, force.value)
    guard let weight else { return }
    if let peakWeight, weight < peakWeight { return }
    peakWeight = weight
  }
}

extension Contact {
  /// The same contact as it came down.
  package var asBegun: Contact { with(.began) }

  /// The same contact between two frames: a device that is silent has not changed.
  package var atRest: Contact { with(.stationary) }

  private func with(_ phase: Phase) -> Contact {
    var contact = self
    contact.phase = phase
    return contact
  }
}
