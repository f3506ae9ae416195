extension String {
  /// The word that was probably meant, or nil where none is near.
  ///
  /// One letter in three may be wrong, and at least one.
  func nearest(among words: [String]) -> String? {
    let tolerance = max(1, count / 3)
    let near = words.filter { abs($0.count - count) <= tolerance }
    let distances = near.map { (word: $0, distance: distance(to: $0)) }
    return distances.min { $0.distance < $1.distance }
      .flatMap { $0.distance <= tolerance ? $0.word : nil }
  }

  /// How many letters must be put in, left out or changed to come from one word to the other.
  ///
  /// The time is the product of both lengths.
  func distance(to other: String) -> Int {
    let letters = Array(other.lowercased())
    var row = Array(0...letters.count)
    for (line, letter) in lowercased().enumerated() {
      var diagonal = row[0]
      row[0] = line + 1
      for column in letters.indices {
        let changed = diagonal + (letters[column] == letter ? 0 : 1)
        diagonal = row[column + 1]
        row[column + 1] = Swift.min(changed, diagonal + 1, row[column] + 1)
      }
    }
    return row[letters.count]
  }
}
