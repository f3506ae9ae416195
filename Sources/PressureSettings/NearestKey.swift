extension String {
  /// The word that was probably meant, or nil where none is near.
  ///
  /// One letter in three may be wrong, and at least one.
  package func nearest(among words: [String]) -> String? {
    let tolerance = max(1, count / 3)
    let near = words.filter { abs($0.count - count) <= tolerance }
    let distances = near.map { (word: $0, distance: distance(to: $0)) }
    return distances.min { $0.distance < $1.distance }
      .flatMap { $0.distance <= tolerance ? $0.word : nil }
  }

  /// How many letters must be put in, left out, changed or swapped with the next one to come from one word to
  /// the other.
  ///
  /// This is the optimal string alignment distance; the time is the product of both lengths.
  package func distance(to other: String) -> Int {
    let (mine, theirs) = (Array(lowercased()), Array(other.lowercased()))
    var (beforeLast, last) = ([Int](), Array(0...theirs.count))
    for line in mine.indices {
      var row = [line + 1]
      for column in theirs.indices {
        let changed = last[column] + (mine[line] == theirs[column] ? 0 : 1)
        var least = Swift.min(changed, last[column + 1] + 1, row[column] + 1)
        if line > 0, column > 0, mine[line] == theirs[column - 1], mine[line - 1] == theirs[column]
        {
          least = Swift.min(least, beforeLast[column - 1] + 1)
        }
        row.append(least)
      }
      (beforeLast, last) = (last, row)
    }
    return last[theirs.count]
  }
}
