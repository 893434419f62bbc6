/// What may be wrong with an empty ledger.
extension PlanInput {
    /// True if the ledger is empty although another remote may have delivered.
    var hasUnknownPast: Bool {
        isUnstarted && desired.remotes.values.contains { $0.name != remote.name && !$0.isLoopback }
    }

    private var isUnstarted: Bool { state.ledger.isEmpty && !state.ledgerStarted }

    /// True if it must be asked which other workspaces have deliveries: one may be this one before it was renamed.
    var asksNeighbours: Bool { state.neighbours == nil && (isUnstarted || !desired.formerly.isEmpty) }

    /// The block of every change of a workspace that may have been renamed without saying so, or says so and has
    /// deliveries under several names.
    var workspaceDoubt: Block? {
        guard let neighbours = state.neighbours, !neighbours.isEmpty else { return nil }
        let own = desired.identityName
        if let other = ([desired.name] + desired.formerly).first(where: { $0 != own && neighbours[$0] != nil }) {
            return Block(
                .renamed, Reason(.workspaceBeside, .count(neighbours[other] ?? 0), .text(other), .text(own)))
        }
        guard isUnstarted, let most = neighbours.max(by: { ($0.value, $1.key) < ($1.value, $0.key) }) else {
            return nil
        }
        guard neighbours.count == 1 else {
            let names = neighbours.keys.sorted().joined(separator: ", ")
            return Block(.newLedger, Reason(.workspacesThere, .text(names)))
        }
        return Block(
            .newLedger, Reason(.workspaceThere, .count(most.value), .text(most.key), .text(most.key)))
    }
}
