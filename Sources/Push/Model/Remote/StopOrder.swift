package import Base

/// A person's order that nothing more of a delivery is sent, or of any, until it is lifted.
///
/// It stands beside the ledger, and whoever sends looks at it before each batch.
package struct StopOrder: Hashable, Sendable {
    /// The id in the delivery's request, or ``all``.
    package var key: String
    /// The delivery for people, such as `derby@2`; empty for all.
    package var title: String
    /// The person and machine, or the actor of a run.
    package var by: String
    /// When, by the remote's clock.
    package var at: Instant
    /// Why, in the person's words.
    package var why: String
    /// True for a push that a bugle-server took, and that was stopped in its console: it is decided about there.
    package var isAtServer = false

    /// The key of the order that stops every delivery, and keeps new ones from starting.
    package static let all = "*"
    /// The key of the order that stops every delivery until a ledger is copied; it stands beside ``all``, and ends with
    /// the copy.
    package static let copying = "**"

    package init(key: String = all, title: String = "", by: String, at: Instant, why: String) {
        (self.key, self.title, self.by, self.at, self.why) = (key, title, by, at, why)
    }

    /// Stops a delivery; nil for all.
    package init(_ entry: LedgerEntry?, by: String, at: Instant, why: String) {
        self.init(key: entry?.notificationID.text ?? Self.all, title: entry?.title ?? "", by: by, at: at, why: why)
    }

    /// Stops a ledger until all of another one is copied into it.
    package static func ofCopy(at now: Instant) -> StopOrder {
        StopOrder(key: copying, by: "bugle ledger copy", at: now, why: "the ledger was copied in part: run it again")
    }

    /// True for an order that stops everything.
    package var isForAll: Bool { key == Self.all || isOfCopy }

    /// True for the order of a copy of a ledger.
    package var isOfCopy: Bool { key == Self.copying }

    /// Who, when and why.
    package var reason: Reason {
        let stopped = Reason(.stoppedBy, .text(by), .instant(at), .text(why))
        return isAtServer ? Reason(.stoppedAtServer, .reason(stopped)) : stopped
    }

    /// What is stopped, by whom, when and why.
    package var headline: Reason {
        Reason(.says, .reason(isForAll ? Reason(.everyDelivery) : .verbatim(title)), .reason(reason))
    }

    /// Why a delivery is not sent, and the command that decides about it.
    package func reason(of entry: LedgerEntry) -> Reason {
        isForAll
            ? Reason(.allStopped, .reason(reason))
            : Reason(.deliveryStopped, .reason(reason), .text(entry.stopped(by: self).resolveCommand))
    }

    package static let record = Record<StopOrder>(
        StopOrder(by: "", at: .distantPast, why: ""),
        [
            Field(
                "delivery", .text,
                "The id in the delivery's request; * for all, and what is new, ** for these until a ledger is copied.",
                { $0.key }, { $0.key = $1 }),
            Field(
                "title", .text, "The campaign with its revision or day; empty for all.", { $0.title },
                { $0.title = $1 }),
            Field("by", .text, "Who stopped it.", { $0.by }, { $0.by = $1 }),
            Field("at", .isoTime, "When.", { $0.at }, { $0.at = $1 }),
            Field("reason", .text, "Why.", { $0.why }, { $0.why = $1 }),
            Field(
                optional: "atServer", .flag, "True for a push that was stopped in the console of its server.",
                unless: false, { $0.isAtServer }, { $0.isAtServer = $1 }),
        ])

    /// Reads a record of a remote.
    ///
    /// - Throws: `RemoteError` with `unexpectedAnswer` that names the record and its first faulty field.
    package init(_ stored: StoredFields) throws(RemoteError) {
        self = try stored.read(Self.record)
    }

    /// The members of its record.
    package var members: JSONObject {
        JSONObject(Self.record.members(of: self).map { (key: $0, value: $1.unordered) })
    }
}

extension LedgerEntry {
    /// The stop that a delivery is under, and the state in which it stopped it.
    package struct Stopped: Hashable, Sendable {
        package var order: StopOrder
        /// The state that the ledger has.
        package var state: DeliveryState
    }

    /// The entry under a stop: `halted`, until a person decides.
    package func stopped(by order: StopOrder) -> LedgerEntry {
        var entry = self
        entry.stopped = Stopped(order: order, state: state)
        entry.state = .halted
        return entry
    }

    /// The entry for the ledger, which does not know what stops it.
    package var unstopped: LedgerEntry {
        guard let stopped else { return self }
        var entry = self
        entry.stopped = nil
        // Any other state is a newer one.
        if state == .halted { entry.state = stopped.state }
        return entry
    }
}

extension [StopOrder] {
    /// The first order that stops a delivery, its own before one for all; nil: nothing stops it.
    package func stopping(_ entry: LedgerEntry) -> StopOrder? {
        // One that was given while a push was being replaced bears the id of the push before.
        let orders = of([entry])
        return orders.first { !$0.isForAll } ?? orders.first
    }

    /// The orders for all, and those that stop any of these deliveries.
    package func of(_ ledger: [LedgerEntry]) -> [StopOrder] {
        let keys = Set(ledger.flatMap { $0.notificationIDs().map(\.text) })
        return filter { $0.isForAll || keys.contains($0.key) }
    }
}

extension RemoteReading {
    /// Reads the ledger as orders to stop leave it, and the orders that are in force, the oldest first.
    ///
    /// What is under way or would begin anew is `halted`. What a service without a journal keeps or may have stays as
    /// it is, to be cancelled or looked up; so does what was stopped in the console of a bugle-server.
    ///
    /// - Throws: ``RemoteError`` when they cannot be queried, or one has an unexpected shape.
    package func stoppedLedger() async throws(RemoteError) -> (entries: [LedgerEntry], stops: [StopOrder]) {
        // The orders last: one that is given meanwhile is seen.
        var entries = try await ledger()
        let orders = try await stops().sorted { ($0.at, $0.key) < ($1.at, $1.key) }
        var inForce = Set(orders.filter(\.isForAll).prefix(1))
        inForce.formUnion(try await serverStops(of: entries))
        for place in entries.indices where !orders.isEmpty {
            guard let order = orders.stopping(entries[place]),
                entries[place].isStoppable(isNamed: !order.isForAll, at: order.at)
            else { continue }
            inForce.insert(order)
            let state = entries[place].state
            entries[place] = entries[place].stopped(by: order)
            switch state {
            case .sending, .scheduled, .cancelling: if !capabilities.keepsJournal { entries[place].state = state }
            case .sent, .refused, .cancelled, .unsent, .unknown, .halted, .holding: break
            }
        }
        return (entries, inForce.sorted { ($0.at, $0.key) < ($1.at, $1.key) })
    }

    /// The stops of deliveries in the console of a bugle-server, which only the records of their pushes tell: each is
    /// asked for, as one that a person has to decide about may be old.
    private func serverStops(of ledger: [LedgerEntry]) async throws(RemoteError) -> [StopOrder] {
        guard isBugleServer, ledger.contains(where: \.isUncounted) else { return [] }
        var stops: [StopOrder] = []
        for entry in ledger.uncounted(at: try await now()) {
            guard let id = entry.objectID else { continue }
            do throws(RemoteError) {
                guard var stop = try await record(objectID: id)?.stop else { continue }
                (stop.key, stop.title) = (entry.notificationID.text, entry.title)
                stops.append(stop)
            } catch {
                // One odd record keeps nobody from planning.
                guard error.kind == .unexpectedAnswer || error.kind == .refused else { throw error }
            }
        }
        return stops
    }
}

extension LedgerEntry {
    /// True when something of the delivery may still be sent, at this time or as the files say.
    package func isStoppable(isNamed: Bool, at time: Instant) -> Bool {
        switch state {
        // A minute after its time at the latest the service has sent it, and the ledger is not told.
        case .scheduled: scheduledAt.map { time - $0 < .seconds(60) } ?? true
        case .sending, .cancelling, .halted, .holding: true
        case .refused, .cancelled, .unsent: isNamed && !isMissed
        case .sent, .unknown: false
        }
    }
}
