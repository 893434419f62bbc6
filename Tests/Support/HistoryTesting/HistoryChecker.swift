/// Says what in a history must not be: the lock, the claims, the ledger and the reached set.
package enum HistoryChecker {
    /// The complaints about a history and what the database says at its end; none when all is well.
    package static func complaints(_ history: History, _ outcome: HistoryEnd? = nil) -> [String] {
        var found = [LockChecker.complaint(about: history)].compactMap(\.self)
        found += claims(history)
        found += ledger(history, outcome)
        if let outcome { found += reached(history, outcome) }
        return found
    }

    /// A claim that was answered.
    private struct Claim {
        let operation: HistoryOperation
        let batch: Int
        let devices: Set<String>
    }

    /// A settlement that had, or may have had, its effect.
    private struct Settlement {
        let operation: HistoryOperation
        let batch: Int
        let accepted: Set<String>
        let again: Set<String>
        var isCertain: Bool { operation.answer != nil }
    }

    private static func claimed(_ history: History) -> [Claim] {
        history.operations.compactMap { operation in
            guard case .claim = operation.action, case .batch(let batch, let devices)? = operation.answer else {
                return nil
            }
            return Claim(operation: operation, batch: batch, devices: devices)
        }
    }

    private static func settled(_ history: History) -> [Settlement] {
        history.operations.compactMap { operation in
            guard case .settle(_, let batch, let devices, let again) = operation.action,
                operation.answer == .done || operation.answer == nil
            else { return nil }
            return Settlement(
                operation: operation, batch: batch, accepted: devices.subtracting(again), again: again)
        }
    }

    /// Claims: a batch is given out once; a device is given out again only after a settlement that asks for it; nobody
    /// settles what was not given to its sender; a device is accepted once.
    private static func claims(_ history: History) -> [String] {
        var found: [String] = []
        let (claims, settlements) = (claimed(history), settled(history))
        var batches: [Int: Claim] = [:]
        var last: [String: Claim] = [:]
        let byBatch = Dictionary(grouping: settlements, by: \.batch)
        for claim in claims.sorted(by: { $0.operation.returned < $1.operation.returned }) {
            if let other = batches.updateValue(claim, forKey: claim.batch) {
                found.append("batch \(claim.batch) was given to \(other.operation) and \(claim.operation)")
            }
            for device in claim.devices.sorted() {
                guard let earlier = last.updateValue(claim, forKey: device) else { continue }
                let isBack = byBatch[earlier.batch, default: []].contains { settlement in
                    settlement.again.contains(device) && settlement.operation.invoked < claim.operation.returned
                }
                if !isBack {
                    found.append("\(device) is \(claim.operation)'s while it is \(earlier.operation)'s")
                }
            }
        }
        var accepted: [String: Int] = [:]
        for settlement in settlements where settlement.isCertain {
            guard let claim = batches[settlement.batch], claim.operation.sender == settlement.operation.sender,
                claim.operation.returned <= settlement.operation.invoked,
                claim.devices == settlement.accepted.union(settlement.again)
            else {
                found.append("\(settlement.operation) settles what was not its own")
                continue
            }
            for device in settlement.accepted.sorted() {
                guard let other = accepted.updateValue(settlement.batch, forKey: device), other != settlement.batch
                else { continue }
                found.append("\(device) was accepted in batches \(other) and \(settlement.batch)")
            }
        }
        return found
    }

    /// The ledger: who looks after somebody has seen an entry, or was told that it was written, sees it or a later one.
    private static func ledger(_ history: History, _ outcome: HistoryEnd?) -> [String] {
        var known: [(returned: Int64, entry: HistoryEntry)] = []
        var seen: [(operation: HistoryOperation, entry: HistoryEntry?)] = []
        for operation in history.operations {
            switch (operation.action, operation.answer) {
            case (.write(let holding, let number), .done?):
                known.append((operation.returned, HistoryEntry(holding.fence, number)))
                seen.append((operation, HistoryEntry(holding.fence, number)))
            case (.read, .entry(let entry)?):
                if let entry { known.append((operation.returned, entry)) }
                seen.append((operation, entry))
            default: break
            }
        }
        var found: [String] = []
        for (operation, entry) in seen {
            let before = known.lazy.filter { $0.returned < operation.invoked }.map(\.entry).max()
            if let before, entry.map({ $0 < before }) ?? true {
                found.append("the ledger went back from \(before) to \(operation)")
            }
        }
        if let newest = known.map(\.entry).max(), let outcome, outcome.entry.map({ $0 < newest }) ?? true {
            found.append("the ledger ends before \(newest)")
        }
        return found
    }

    /// The end: what was accepted is in the reached set, and every device is accounted for.
    private static func reached(_ history: History, _ outcome: HistoryEnd) -> [String] {
        var found: [String] = []
        let settlements = settled(history)
        let certain = settlements.filter(\.isCertain).reduce(into: Set<String>()) { $0.formUnion($1.accepted) }
        let possible = settlements.reduce(into: Set<String>()) { $0.formUnion($1.accepted) }
        let missing = certain.subtracting(outcome.reached)
        if !missing.isEmpty { found.append("\(missing.count) devices were accepted and are not in the reached set") }
        if !(certain.count...max(certain.count, possible.count)).contains(outcome.accepted) {
            found.append("\(outcome.accepted) devices are accepted, not \(certain.count) to \(possible.count)")
        }
        if outcome.targets != outcome.accepted + outcome.inDoubt + outcome.others {
            found.append("the figures do not add up: \(outcome)")
        }
        if outcome.reached.count != outcome.accepted + outcome.inDoubt {
            found.append(
                "\(outcome.reached.count) devices were reached, \(outcome.accepted) accepted, \(outcome.inDoubt) in doubt"
            )
        }
        return found
    }
}
