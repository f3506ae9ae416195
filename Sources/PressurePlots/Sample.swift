/// How hard and where a contact presses, from one moment on until the next sample.
package struct Sample: Hashable {
  /// Microseconds since the recording's first event.
  package var time: Int64

  /// In units of an average touch.
  package var force: Double

  /// The place, as parts of the surface's width and height.
  package var x: Double
  package var y: Double
}

extension [Sample] {
  /// The same course with at most four samples in each span of time: the first, the last, and the
  /// lightest and the heaviest between them, so that no peak is lost.
  ///
  /// - Parameter span: microseconds, 1 or more, counted from the recording's beginning.
  /// - Returns: the samples that are kept, in their order.
  func decimated(every span: Int64) -> [Sample] {
    var kept: [Sample] = []
    var start = startIndex
    while start < endIndex {
      let number = self[start].time / span
      var end = start + 1
      while end < endIndex, self[end].time / span == number { end += 1 }
      var places = [start, start, start, end - 1]
      for place in start..<end {
        if self[place].force < self[places[1]].force { places[1] = place }
        if self[place].force > self[places[2]].force { places[2] = place }
      }
      places.sort()
      for (index, place) in places.enumerated() where index == 0 || place != places[index - 1] {
        kept.append(self[place])
      }
      start = end
    }
    return kept
  }
}
