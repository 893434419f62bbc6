/// Suggests corrections for misspelled names.
package enum Suggestion {
    /// The candidate nearest to a text, the first one of a tie; nil when none is close enough.
    ///
    /// The limit is a third of the text's length in edits (insertion, deletion, replacement, swap of neighbours), but
    /// at least one edit; case does not count as an edit.
    package static func nearest(to text: String, among candidates: some Sequence<String>) -> String? {
        near(text, among: candidates)?.name
    }

    /// The nearest candidate; nil when none is close enough, or another one is as close.
    package static func only(to text: String, among candidates: some Sequence<String>) -> String? {
        near(text, among: candidates).flatMap { $0.isAlone ? $0.name : nil }
    }

    private static func near(
        _ text: String, among candidates: some Sequence<String>
    ) -> (name: String, distance: Int, isAlone: Bool)? {
        let wanted = Array(text.lowercased().unicodeScalars)
        guard !wanted.isEmpty, wanted.count <= 100 else { return nil }
        var best: (name: String, distance: Int, isAlone: Bool)?
        for candidate in candidates {
            let limit = best?.distance ?? max(1, wanted.count / 3)
            let scalars = Array(candidate.lowercased().unicodeScalars)
            guard limit >= 0, abs(scalars.count - wanted.count) <= limit else { continue }
            let distance = distance(wanted, scalars)
            guard distance <= limit, distance < wanted.count else { continue }
            if distance == best?.distance {
                if candidate != best?.name { best?.isAlone = false }
            } else {
                best = (candidate, distance, true)
            }
        }
        return best
    }

    /// `; did you mean 'x'?`, or an empty string.
    package static func ending(for text: String, among candidates: some Sequence<String>) -> String {
        nearest(to: text, among: candidates).map { "; did you mean \(quoted($0))?" } ?? ""
    }

    /// The optimal string alignment distance.
    private static func distance(_ from: [Unicode.Scalar], _ to: [Unicode.Scalar]) -> Int {
        var beforeLast: [Int] = []
        var last = Array(0...to.count)
        for row in 1..<(from.count + 1) {
            var current = [row]
            for column in 1..<(to.count + 1) {
                let isEqual = from[row - 1] == to[column - 1]
                var cost = min(last[column] + 1, current[column - 1] + 1, last[column - 1] + (isEqual ? 0 : 1))
                if row > 1, column > 1, from[row - 1] == to[column - 2], from[row - 2] == to[column - 1] {
                    cost = min(cost, beforeLast[column - 2] + 1)
                }
                current.append(cost)
            }
            beforeLast = last
            last = current
        }
        return last[to.count]
    }
}
