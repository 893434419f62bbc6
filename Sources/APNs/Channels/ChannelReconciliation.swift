/// Tells what became of a request to make a channel whose answer was lost, from the app's channels before and after.
package enum ChannelReconciliation: Hashable, Sendable {
    /// It was made: this is its id.
    case made(String)
    /// It was not made, and may be asked for again.
    case notMade
    /// Several new channels, of which any can be it: a person, or another program, made some meanwhile.
    case ambiguous([String])

    /// Compares the lists.
    ///
    /// - Parameters:
    ///   - before: the ids before the request.
    ///   - after: the ids after it, late enough for Apple to list it.
    ///   - known: ids that are some other declared channel's.
    package init(before: [String], after: [String], known: Set<String> = []) {
        let old = known.union(before)
        var new: [String] = []
        for id in after where !old.contains(id) && !new.contains(id) { new.append(id) }
        switch new.count {
        case 0: self = .notMade
        case 1: self = .made(new[0])
        default: self = .ambiguous(new.sorted())
        }
    }
}
