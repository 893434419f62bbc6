internal import Base
internal import Push

/// The events that devices report: docs/server/what-devices-call.md#events.
extension RegistryTransaction {
    /// Begins to accept the events of a delivery; does nothing when it did.
    func addEventWindow(of journal: JournalRow, _ events: EventRetention) throws {
        try execute(
            """
            INSERT INTO eventWindow(delivery, startedAt, keep, expiresAt) VALUES (?, ?, ?, ?)
            ON CONFLICT (delivery) DO NOTHING
            """, [journal.delivery, now, events.keep.wholeSeconds, events.expiresAt])
    }

    /// Returns what decides about the events of these deliveries; of all that still accept any for nil.
    func eventWindows(of deliveries: [String]?) throws -> [EventWindow] {
        let condition = deliveries == nil ? "foldedAt IS NULL" : "eventWindow.delivery \(dialect.isOneOf)"
        return try rows(
            """
            SELECT eventWindow.delivery, startedAt, keep, expiresAt, foldedAt, closedAt
            FROM eventWindow JOIN journal ON journal.delivery = eventWindow.delivery WHERE \(condition)
            """, deliveries.map { [SQLValue.texts($0)] } ?? []
        ).map { row in
            EventWindow(
                delivery: row.text(0) ?? "", startedAt: row.time(1) ?? now,
                keep: .seconds(row.integer(2) ?? 0), expiresAt: row.time(3), isFolded: row.integer(4) != nil,
                closedAt: row.time(5))
        }
    }

    /// Returns the deliveries that count events, the newest first.
    func newestEventWindows(most: Int) throws -> [(delivery: String, startedAt: Instant)] {
        try rows("SELECT delivery, startedAt FROM eventWindow ORDER BY startedAt DESC, delivery LIMIT ?", [most]).map {
            ($0.text(0) ?? "", $0.time(1) ?? now)
        }
    }

    /// Returns the campaign that a workspace's ledger names for the first generation of a delivery; nil when it has none.
    func campaign(of delivery: String, in workspace: String) throws -> String? {
        let document = try text(
            "SELECT document FROM deployRecord WHERE workspace = ? AND kind = ? AND key = ?",
            [workspace, DeployRecord.Kind.ledger.rawValue, delivery])
        return try document.flatMap { try JSONValue(stored: $0)["campaign"]?.string }
    }

    /// Returns the numbers of installations that have one, by their ids.
    func numbers(ofInstallations ids: [String]) throws -> [String: Int64] {
        let source = dialect == .sqlite ? "id FROM installation" : "number FROM reachedInstallation"
        return try rows("SELECT objectId, \(source) WHERE objectId \(dialect.isOneOf)", [SQLValue.texts(ids)])
            .reduce(into: [:]) { $0[$1.text(0) ?? ""] = $1.integer(1) }
    }

    /// True if answers of Apple may still be recorded, though the delivery is closed.
    func hasOpenBatch(_ delivery: String) throws -> Bool {
        try exists(
            "SELECT 1 FROM journalBatch WHERE delivery = ? AND state = \(BatchState.open.rawValue) LIMIT 1", [delivery])
    }

    /// Returns those of the deliveries that accept events until the transaction ends.
    func holdEventWindows(_ deliveries: [String]) throws -> Set<String> {
        Set(
            try texts(
                """
                SELECT delivery FROM eventWindow WHERE foldedAt IS NULL AND delivery \(dialect.isOneOf)
                ORDER BY delivery\(clause(.shared))
                """, [SQLValue.texts(deliveries)]))
    }

    /// Adds events; those that are there stay as they are.
    func add(_ events: [EventRow]) throws {
        // In one order everywhere, so that copies of a server wait for each other, but never in a circle.
        let events = events.sorted {
            ($0.delivery, $0.kind.rawValue, $0.number) < ($1.delivery, $1.kind.rawValue, $1.number)
        }
        let into = "INSERT INTO event(delivery, kind, installation, part, form, happenedAt)"
        switch dialect {
        case .sqlite:
            for event in events {
                try execute("\(into) VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING", event.values)
            }
        case .postgres:
            func column(_ value: (EventRow) -> Int64) -> SQLValue { .integers(events.map(value)) }
            try execute(
                """
                \(into) SELECT * FROM unnest(
                  ?::text[], ?::bigint[], ?::bigint[], ?::bigint[], ?::bigint[], ?::bigint[]) ON CONFLICT DO NOTHING
                """,
                [
                    SQLValue.texts(events.map(\.delivery)), column(\.kind.rawValue), column(\.number),
                    column { Int64($0.place.part) }, column { Int64($0.place.form) }, column(\.at.milliseconds),
                ])
        }
    }

    // MARK: Folding

    /// Accepts no more events of a delivery.
    func endEventWindow(of delivery: String) throws {
        try execute("UPDATE eventWindow SET foldedAt = ? WHERE delivery = ? AND foldedAt IS NULL", [now, delivery])
    }

    /// Returns a delivery whose events are to be folded, and holds it until the transaction ends; nil when there is none.
    func deliveryToFold() throws -> String? {
        try text(
            """
            SELECT delivery FROM eventWindow WHERE foldedAt IS NOT NULL
            AND EXISTS (SELECT 1 FROM event WHERE event.delivery = eventWindow.delivery) LIMIT 1\(clause(.changing))
            """)
    }

    /// Removes and returns some events of a delivery.
    func takeEvents(of delivery: String, most: Int) throws -> [EventRow] {
        try rows(
            """
            DELETE FROM event WHERE delivery = ? AND (kind, installation) IN (
              SELECT kind, installation FROM event WHERE delivery = ? ORDER BY kind, installation LIMIT ?)
            RETURNING kind, installation, part, form, happenedAt
            """, [delivery, delivery, most]
        ).compactMap { row in
            guard let kind = row.integer(0).flatMap(DeviceEvent.Kind.init(rawValue:)) else { return nil }
            return EventRow(
                delivery: delivery, kind: kind, number: row.integer(1) ?? 0,
                place: ReachedIndex.Place(part: row.number(2), form: row.number(3)),
                at: row.time(4) ?? Instant(milliseconds: 0))
        }
    }

    /// Adds devices to the counts of a delivery.
    func add(_ counts: [EventCount: Int], of delivery: String) throws {
        for (count, devices) in counts {
            try execute(
                """
                INSERT INTO eventCount(delivery, kind, part, form, hour, devices) VALUES (?, ?, ?, ?, ?, ?)
                ON CONFLICT (delivery, kind, part, form, hour) DO UPDATE SET devices = eventCount.devices + excluded.devices
                """,
                [delivery, count.kind.rawValue, count.place.part, count.place.form, count.hour, devices])
        }
    }

    /// Sums the devices of a delivery by kind, part and form, folded or not.
    func eventSums(of delivery: String) throws -> [(kind: DeviceEvent.Kind, place: ReachedIndex.Place, devices: Int)] {
        try rows(
            """
            SELECT kind, part, form, SUM(devices) FROM (
              SELECT kind, part, form, COUNT(*) AS devices FROM event WHERE delivery = ? GROUP BY kind, part, form
              UNION ALL SELECT kind, part, form, devices FROM eventCount WHERE delivery = ?) AS counted
            GROUP BY kind, part, form ORDER BY part, form, kind
            """, [delivery, delivery]
        ).compactMap { row in
            row.integer(0).flatMap(DeviceEvent.Kind.init(rawValue:)).map {
                ($0, ReachedIndex.Place(part: row.number(1), form: row.number(2)), row.number(3))
            }
        }
    }
}

/// What decides about the events of one delivery.
struct EventWindow {
    let delivery: String
    /// The time when its audience was frozen: no event is earlier.
    let startedAt: Instant
    let keep: Duration
    let expiresAt: Instant?
    let isFolded: Bool
    let closedAt: Instant?

    /// The time from which events come too late; nil while the end of the delivery is not known.
    var end: Instant? { [closedAt, expiresAt].compactMap(\.self).max().map { $0 + keep } }

    /// True if no more events are accepted at a time.
    func isOver(at now: Instant) -> Bool { isFolded || end.map { $0 <= now } ?? false }
}

/// An accepted event.
struct EventRow: Sendable {
    let delivery: String
    let kind: DeviceEvent.Kind
    /// The number of the installation.
    let number: Int64
    let place: ReachedIndex.Place
    let at: Instant

    fileprivate var values: [any SQLBindable] { [delivery, kind.rawValue, number, place.part, place.form, at] }
}

/// What folded events have in common.
struct EventCount: Hashable {
    let kind: DeviceEvent.Kind
    let place: ReachedIndex.Place
    /// The time when the hour began.
    let hour: Instant

    init(_ event: EventRow) {
        (kind, place) = (event.kind, event.place)
        hour = Instant(milliseconds: event.at.milliseconds - event.at.milliseconds % 3_600_000)
    }
}
