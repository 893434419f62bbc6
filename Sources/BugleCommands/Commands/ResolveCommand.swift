internal import Apply
internal import ArgumentParser
internal import Base
internal import Push

/// Records a person's finding about an unknown outcome.
struct ResolveCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "resolve", abstract: "Records a person's answer to an unknown outcome, or to what was stopped.",
        discussion: """
            EXAMPLE
              bugle resolve welcome@2 --as sent --reason seen-on-a-phone

            'sent' closes the delivery; 'unsent' lets the next apply send it, under the rules for a new delivery. Of a \
            delivery straight to Apple that ended with devices in doubt, 'unsent' sends to those devices only. Look \
            at the service's console or ask a recipient first: a push cannot be taken back. Of a delivery that \
            was stopped, or a rollout that was halted or holds, 'proceed' lets the next apply go on with the rest, and \
            'abandoned' leaves the rest unsent.
            """)

    @OptionGroup var remote: RemoteOptions

    @Argument(
        help: ArgumentHelp(
            "The campaign, with its revision or the day of an occurrence when several are unknown.",
            valueName: "CAMPAIGN[@REVISION|@DATE]"),
        completion: WorkspaceNames.campaigns)
    var campaign: String

    @Option(
        name: .customLong("as"),
        help: ArgumentHelp("sent or unsent; of what was stopped proceed or abandoned.", valueName: "ANSWER"))
    var answer: Answer

    @Option(help: ArgumentHelp("The reason to record in the ledger.", valueName: "TEXT"))
    var reason: String

    /// The finding.
    enum Answer: String, ExpressibleByArgument, CaseIterable {
        case sent
        case unsent
        case proceed
        case abandoned

        /// True for an answer about what was stopped.
        var isOfStopped: Bool { self == .proceed || self == .abandoned }
    }

    @OptionGroup var common: CommonOptions

    func run() async throws {
        try await running(common) {
            let (name, which) = try parts()
            let remote = try await RemoteAccess(common, remote)
            let entry = try await remote.underLock { writer, keeper, provenance in
                let lease = await keeper.lease
                let (ledger, stops) = try await remote.ledger()
                let deliveries = try remote.deliveries(of: name, in: ledger)
                if answer == .proceed, let order = stops.first(where: \.isForAll) {
                    throw Failure(.usage, "everything is \(order.reason.text): first 'bugle stop --lift'")
                }
                let entry = try await open(name, deliveries.filter(which.selects), stops, remote.connected)
                var resolved =
                    entry.isStopped
                    ? try await writer.decided(entry, proceeds: answer == .proceed, reason: reason, under: lease)
                    : try await resolve(entry, remote.connected.reader, writer)
                resolved.fence = lease.fence
                resolved.provenance = provenance
                try await writer.update(resolved, under: lease)
                // Only after the ledger is updated: if this is interrupted in between, the next apply still finds the
                // devices in doubt, and reports it.
                if resolved.state == .sending, answer == .unsent {
                    try await writer.journaling?.reopenDoubtful(resolved, under: lease)
                }
                // Nothing goes on before the ledger says so. Another order may name an earlier push of the delivery.
                if entry.stopped != nil {
                    for order in try await remote.connected.reader.stops().of([entry]) where !order.isForAll {
                        try await writer.lift(order)
                    }
                }
                return resolved
            }
            let next =
                switch (entry.state, answer) {
                case (.sending, .proceed): "; the next apply goes on with the rest"
                case (.sending, _): "; the next apply sends to the devices in doubt"
                case (_, .proceed): "; the next apply does what the files say"
                case (_, _): ""
                }
            remote.bench.console.output(
                escaped("\(entry.title) is recorded as \(entry.state.rawValue)\(next).") + "\n")
            return .success
        }
    }

    /// The delivery that is meant, of those of a campaign.
    private enum Which {
        case any
        case revision(Int)
        case occurrence(CivilDate)

        func selects(_ entry: LedgerEntry) -> Bool {
            switch self {
            case .any: true
            case .revision(let number): entry.revision == number
            case .occurrence(let date): entry.occurrence == .on(date)
            }
        }
    }

    private func parts() throws -> (String, Which) {
        let parts = campaign.split(separator: "@", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 2 else { return (campaign, .any) }
        if let date = CivilDate(parts[1]) { return (parts[0], .occurrence(date)) }
        guard let revision = Int(parts[1]), revision > 0 else {
            throw Failure(.usage, "'\(parts[1])' is not a revision; write CAMPAIGN@2, or CAMPAIGN@2026-12-07 for a day")
        }
        return (parts[0], .revision(revision))
    }

    /// Returns the entry with the answer applied; `sending` when the devices in doubt get the push again.
    private func resolve(
        _ entry: LedgerEntry, _ reader: any RemoteReading, _ writer: any RemoteWriting
    ) async throws -> LedgerEntry {
        var resolved = entry
        (resolved.reason, resolved.isMissed) = (.verbatim(reason), false)
        guard let doubtful = entry.figures?.inDoubt, doubtful > 0, writer.journaling != nil else {
            resolved.state = answer == .sent ? .sent : .unsent
            return resolved
        }
        resolved.reason = Reason(.resolvedInDoubt, .number(doubtful), .text(answer.rawValue), .text(reason))
        resolved.figures?.inDoubt = 0
        if answer == .unsent {
            guard try await reader.journal(of: entry) != .unbegun else {
                throw Failure(
                    .usage, "this remote does not know which devices are in doubt: resolve it where it was delivered")
            }
            resolved.state = .sending
        }
        return resolved
    }

    private func open(
        _ name: String, _ all: [LedgerEntry], _ stops: [StopOrder], _ connected: Workbench.Connected
    ) async throws -> LedgerEntry {
        let strongest = all.strongest.values
        let open = strongest.filter {
            $0.state == .unknown || $0.isStopped || $0.state == .sent && ($0.figures?.inDoubt ?? 0) > 0
        }
        if let entry = open.first, open.count == 1 {
            guard entry.isStopped == answer.isOfStopped else {
                throw Failure(.usage, "\(entry.title) is \(entry.state.rawValue): write \(entry.resolveCommand)")
            }
            return entry
        }
        if open.count > 1 {
            let titles = open.map(\.title).sorted().joined(separator: ", ")
            throw Failure(.usage, "several deliveries of \(name) are open; name one: \(titles)")
        }
        for entry in strongest {
            let key = entry.notificationID.text
            guard let stop = stops.first(where: { $0.isAtServer && $0.key == key }) else { continue }
            let page = connected.page(ofPush: entry.objectID).map { ": \($0)" } ?? ""
            throw Failure(.usage, stop.headline.text + page)
        }
        guard let entry = strongest.first else {
            throw Failure(.usage, "the ledger has no delivery of '\(campaign)'")
        }
        let standing = await Self.standing(of: entry, connected.reader)
        throw Failure(.usage, "\(entry.title) \(standing); there is nothing to resolve")
    }

    /// Why nobody has to decide about a delivery, and what comes next.
    private static func standing(of entry: LedgerEntry, _ reader: any RemoteReading) async -> String {
        guard entry.state == .sending else {
            return "is \(entry.state.rawValue) and its outcome is known"
        }
        guard let state = try? await reader.journal(of: entry), let stage = state.stage else {
            return "is not settled yet; next: bugle apply"
        }
        guard let opensAt = state.opensAt else {
            return "has sent stage \(stage) in part, which is not judged yet: \(state.waiting.grouped) devices wait; "
                + "next: bugle apply"
        }
        return
            "is under way: stage \(stage - 1) is not judged yet: it bakes until \(opensAt.text); next: bugle apply --due"
    }
}
