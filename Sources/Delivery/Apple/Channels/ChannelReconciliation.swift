/// The outcome of a channel-creation request whose answer was lost, inferred from the app's channels before and after.
package enum ChannelReconciliation: Hashable, Sendable {
    /// The channel was created, with this id.
    case made(String)
    /// The channel was not created; the request may be repeated.
    case notMade
    /// Several new channels, any of which may be the one: a person or another program created some meanwhile.
    case ambiguous([String])

    /// Compares the lists of channels.
    ///
    /// - Parameters:
    ///   - before: the ids before the request.
    ///   - after: the ids after the request, late enough for Apple to list a new one.
    ///   - known: ids that belong to other declared channels.
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
