internal import Base
internal import LeanCloud
internal import Push

/// Compares the data of the old service with that of the new server.
struct MigrationComparison: Sendable {
    typealias Finding = HealthCheck.Finding

    let there: MigrationSide
    let here: MigrationSide

    /// The largest part that may be missing: of several registrations with one token, only one is kept.
    private static let tolerance = 0.05
    /// The number that may be missing in any case.
    private static let few = 2

    /// Returns the findings of all comparisons of devices, with those of `audiences`, which is nil when devices register
    /// with the new server already, so that counts differ.
    func findings(_ audiences: (() async throws(RemoteError) -> [Finding])?) async -> [Finding] {
        var findings = [counted(Reason(.devices), there.audience.devices, here.audience.devices, .getPushes)]
        do throws(RemoteError) {
            findings.append(try await sample())
            if let audiences {
                findings.append(counted(Reason(.registrations), there.seen.day, here.seen.day, .seen))
                findings += try await audiences()
            }
        } catch {
            findings.append(.error(Reason(.comparison), .verbatim(error.description), .of(error)))
        }
        return findings + [resources]
    }

    /// True if too few of the expected objects were found.
    static func isShort(_ found: Int, of expected: Int) -> Bool {
        let gap = expected - found
        return gap > max(few, Int(Double(expected) * tolerance)) || found == 0 && expected > 0
    }

    private func counted(_ subject: Reason, _ there: Int, _ here: Int, _ words: Reason.Move) -> Finding {
        let counts = Reason(words, .count(there), .count(here))
        guard Self.isShort(here, of: there) else {
            return .fine(subject, there > here ? Reason(.says, .reason(counts), .reason(Reason(.countOnce))) : counts)
        }
        return .todo(subject, Self.pulling(counts))
    }

    /// What is short, and the remedy.
    static func pulling(_ what: Reason) -> Reason {
        Reason(.says, .reason(what), .reason(Reason(.pull)))
    }

    /// Compares a sample by id: equal counts may be of different devices.
    private func sample() async throws(RemoteError) -> Finding {
        let ids = try await there.sample()
        let known = try await here.known(ids)
        let (found, all) = (Reason.Value.count(known.count), Reason.Value.count(ids.count))
        guard Self.isShort(known.count, of: ids.count) else {
            return .fine(Reason(.sample), Reason(.sampleFound, found, all))
        }
        return .todo(Reason(.sample), Reason(.sampleMissing, found, all))
    }

    /// The finding about deliveries that the new server does not know.
    func ledger(copiedBy names: (from: String, to: String)) -> Finding {
        let known = Set(here.ledger.map(\.delivery))
        let lost = there.ledger.filter { !known.contains($0.delivery) }
        guard let first = lost.first else {
            guard here.isLedgerKnown else {
                return .todo(Reason(.ledger), Reason(.ledgerNew, .text(names.from), .text(names.to)))
            }
            return .fine(Reason(.ledger), Reason(.allDeliveriesThere, .count(there.ledger.count)))
        }
        return .todo(
            Reason(.ledger),
            Self.pulling(
                Reason(.deliveriesMissing, .count(lost.count), .text("\(first.campaign)@\(first.revision)"))))
    }

    private var resources: Finding {
        let names = Set(here.resources.map { "\($0.kind.rawValue) \($0.name)" })
        let gone = there.resources.filter { !names.contains("\($0.kind.rawValue) \($0.name)") }
        guard let first = gone.first else {
            return .fine(Reason(.resources), Reason(.allResourcesThere, .count(there.resources.count)))
        }
        return .todo(
            Reason(.resources),
            Self.pulling(
                Reason(.resourcesMissing, .count(gone.count), .text("\(first.kind.rawValue) \(first.name)"))))
    }
}
