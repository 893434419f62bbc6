internal import Apply
internal import ArgumentParser
internal import Base
internal import Push

struct StopCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "stop", abstract: "Stops what is being sent, from any machine.",
        discussion: """
            EXAMPLES
              bugle stop derby --reason 'wrong link'
              bugle stop --all --reason 'the landing page is down'
              bugle stop --lift

            It needs no lock: whoever sends looks at it before each batch and every second, and the batches that are open \
            then are the last. A push that waits at a LeanCloud service is cancelled; one that the service is sending \
            cannot be stopped. What was stopped is halted until 'bugle resolve' says 'proceed' or 'abandoned'. --all \
            also keeps anything new from starting, until --lift.
            """)

    @OptionGroup var remote: RemoteOptions

    @Argument(
        help: ArgumentHelp("The campaigns whose deliveries are stopped.", valueName: "CAMPAIGN"),
        completion: WorkspaceNames.campaigns)
    var campaigns: [String] = []

    @Flag(help: "Stop every delivery of the workspace, and start none.")
    var all = false

    @Flag(help: "End --all: what it had stopped is decided by 'bugle resolve'.")
    var lift = false

    @Option(help: ArgumentHelp("The reason to show to the others.", valueName: "TEXT"))
    var reason: String?

    @OptionGroup var common: CommonOptions

    func validate() throws {
        guard [!campaigns.isEmpty, all, lift].count(where: { $0 }) == 1 else {
            throw ValidationError("name the campaigns to stop, or --all, or --lift")
        }
        if !lift, reason?.isEmpty ?? true { throw ValidationError("--reason says to the others why it is stopped") }
    }

    func run() async throws {
        try await running(common) {
            let remote = try await RemoteAccess(common, remote)
            let stopping = Stopping(
                remote: remote, writer: try await remote.connected.makeWriter(TaskPause()),
                by: await ApplyProvenance(remote.bench).person)
            if lift { return try await stopping.lift() }
            return try await stopping.stop(all ? nil : campaigns, because: reason ?? "")
        }
    }
}

/// Writes the orders of one `bugle stop`, and says what comes of them.
private struct Stopping {
    let remote: RemoteAccess
    let writer: any RemoteWriting
    let by: String

    private var reader: any RemoteReading { remote.connected.reader }

    /// Stops the deliveries of some campaigns; nil: all, and what is new.
    func stop(_ campaigns: [String]?, because why: String) async throws -> ExitStatus {
        let now = try await reader.now()
        func write(_ entry: LedgerEntry?) async throws {
            try await writer.stop(StopOrder(entry, by: by, at: now, why: why))
        }
        // Before the ledger is read: what is begun meanwhile is kept from being sent.
        if campaigns == nil { try await write(nil) }
        let ledger = try await remote.ledger().entries
        let found = try campaigns.map { try $0.flatMap { try remote.deliveries(of: $0, in: ledger) } } ?? ledger
        let deliveries = found.strongest.values
            .sorted { ($0.campaign, $0.intendedAt) < ($1.campaign, $1.intendedAt) }
        let open = deliveries.filter { $0.unstopped.isStoppable(isNamed: false, at: now) }
        let hasBegun = deliveries.contains { $0.mayBeBeingSent(at: now) }
        // Also where an order names a push before this one: who sends by a journal looks for the id of its own.
        for entry in open { try await write(entry) }
        if campaigns == nil {
            say("Everything on \(remote.declaration.name) is stopped; nothing starts before 'bugle stop --lift'.")
        } else if open.isEmpty, !hasBegun {
            throw Failure(
                .usage,
                "nothing of \(campaigns?.joined(separator: ", ") ?? "") is under way; 'bugle stop --all' also keeps what has "
                    + "not begun from starting")
        }
        // All before any is looked at again: their time may come meanwhile.
        let cancelled = reader.capabilities.keepsJournal ? [] : try await cancelAll(open.map(\.unstopped), at: now)
        for entry in open {
            let isCancelled = cancelled.contains(entry.delivery)
            say("\(entry.title) is stopped: \(try await standing(of: entry.unstopped, isCancelled: isCancelled))")
        }
        // The time of others may have come meanwhile.
        let end = try await reader.now()
        for entry in deliveries where entry.mayBeBeingSent(at: end) {
            try await sayIfBeingSent(entry, isStopped: open.contains { $0.delivery == entry.delivery })
        }
        return .success
    }

    /// Ends the order that stopped everything: a person's, and that of a copy of the ledger only where it stands alone.
    func lift() async throws -> ExitStatus {
        let entries = try await remote.ledger().entries
        let all = try await reader.stops().filter(\.isForAll)
        let given = all.filter { !$0.isOfCopy }
        let orders = given.isEmpty ? all : given
        guard !orders.isEmpty else {
            say("There is nothing to lift: no 'bugle stop --all' is in force on \(remote.declaration.name).")
            return .success
        }
        for order in orders { try await writer.lift(order) }
        let left = all.first { !orders.contains($0) }
        let next = left.map { "nothing starts yet: \($0.reason.text)" } ?? "new deliveries start again"
        say("Lifted on \(remote.declaration.name): \(next).")
        for entry in entries where entry.stopped.map({ !$0.order.isForAll }) ?? false {
            say("\(entry.title) stays stopped: \(entry.resolveCommand)")
        }
        return .success
    }

    /// How a delivery stands once nothing more of it leaves, and what a person does next.
    private func standing(of entry: LedgerEntry, isCancelled: Bool) async throws -> String {
        guard reader.capabilities.keepsJournal else { return try await cancel(entry, isCancelled: isCancelled) }
        let command = entry.stopped(by: StopOrder(entry, by: by, at: entry.intendedAt, why: "")).resolveCommand
        var state = try await reader.journal(of: entry)
        // The batches that are open have their answers within the second in which the senders look.
        for _ in 0..<20 where state.underWay > 0 {
            try await TaskPause().pause(for: .milliseconds(100))
            state = try await reader.journal(of: entry)
        }
        let open = state.underWay > 0 ? "; \(state.underWay.grouped) in open batches may still get it" : ""
        return "\(state.reason.text)\(open); decide about the rest: \(command)"
    }

    /// Cancels the pushes of deliveries that a service lists or once did, the next ones first; returns the deliveries.
    private func cancelAll(_ entries: [LedgerEntry], at now: Instant) async throws -> Set<DeliveryID> {
        let listed = try await reader.scheduledPushes()
        var deliveries: Set<DeliveryID> = []
        func time(_ entry: LedgerEntry) -> Instant { entry.scheduledAt ?? entry.attemptedAt }
        for entry in entries.sorted(by: { time($0) < time($1) }) where !entry.mayBeRepeated(at: now) {
            let handles = listed.handles(of: entry.notificationIDs(), known: [entry.scheduledID].compactMap(\.self))
            for handle in handles.sorted() { try await writer.cancel(handle) }
            if !handles.isEmpty { deliveries.insert(entry.delivery) }
        }
        return deliveries
    }

    /// Cancels what still waits of a delivery at a service, which may have been asked to cancel it.
    private func cancel(_ entry: LedgerEntry, isCancelled: Bool) async throws -> String {
        guard isCancelled || entry.state != .sending else {
            let next = entry.scheduledAt == nil ? "sends nothing" : "cancels what waits"
            return "its request may have been taken before; 'bugle apply' looks that up and \(next)"
        }
        var isCancelled = isCancelled
        for _ in 0..<5 {
            let pushes = try await reader.scheduledPushes().pushes(of: entry.notificationIDs())
            if pushes.isEmpty {
                // Only now: the others before it took their time. The server's clock is known only to the second.
                let now = try await reader.now() + .seconds(1)
                if entry.scheduledAt.map({ $0 <= now }) ?? false {
                    return "its time has come, and the service may have sent it; 'bugle apply' looks that up"
                }
                // As of one that another service keeps, from which the ledger was copied.
                guard isCancelled else {
                    return (entry.scheduledAt.map { Reason(.inNoListAt, .instant($0)) } ?? Reason(.inNoList)).text
                }
                return "its pending push is cancelled; 'bugle apply' records that"
            }
            isCancelled = true
            for push in pushes { try await writer.cancel(push.id) }
            try await TaskPause().pause(for: .seconds(1))
        }
        return "its pending push is still listed although it was cancelled; 'bugle apply' tries again"
    }

    /// Says of a push that a service has taken that it cannot be stopped, while it may still be sending it. One that is
    /// stopped may have a record that does not tell it.
    private func sayIfBeingSent(_ entry: LedgerEntry, isStopped: Bool) async throws {
        guard let id = entry.objectID, let record = try await reader.record(objectID: id), !record.isDone else {
            return
        }
        let isKept = record.standing == .scheduled
        if isKept, isStopped { return }
        let what = isKept ? "its time has come, and the service may send it at any moment" : "the service is sending it"
        say("\(entry.title) cannot be stopped: \(what)")
    }

    private func say(_ line: String) { remote.bench.console.output(escaped(line) + "\n") }
}

extension LedgerEntry {
    /// True when an apply may still repeat the request: a service would answer that it has the push, cancelled or not.
    fileprivate func mayBeRepeated(at now: Instant) -> Bool {
        state == .sending && now - attemptedAt < Resumption.repeatable
    }

    /// True when a service that has taken the push may not be done with it.
    fileprivate func mayBeBeingSent(at now: Instant) -> Bool {
        guard objectID != nil, state == .sent || state == .scheduled else { return false }
        let age = now - (scheduledAt ?? attemptedAt)
        return age < .seconds(86_400) && (state == .sent || age >= .zero)
    }
}
