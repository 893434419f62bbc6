internal import Base
package import Push

/// An event of a notification, as an app reports it: docs/server/what-devices-call.md#events.
package struct DeviceEvent: Hashable, Sendable {
    /// The delivery, by the id in the notification's payload.
    package var delivery: String
    /// The `objectId` of the installation.
    package var installation: String
    package var kind: Kind
    /// The time by the device's clock; nil for the time when the report arrives.
    package var at: Instant?

    /// The tolerated difference between a device's clock and the database's: an event that is dated later than now, or
    /// earlier than its delivery, by more than this is refused.
    package static let clockSkew = Duration.seconds(300)

    /// The kinds of events. A delivery has at most one of each for an installation.
    package enum Kind: Int64, Hashable, Sendable, CaseIterable {
        /// The notification arrived on the device.
        case received = 0
        /// A person opened the app by it.
        case opened = 1
        /// A person removed it.
        case dismissed = 2

        /// The word in the report.
        package var name: String {
            switch self {
            case .received: "received"
            case .opened: "opened"
            case .dismissed: "dismissed"
            }
        }

        /// The kind with this word; nil for another word.
        package init?(name: String) {
            guard let kind = Self.allCases.first(where: { $0.name == name }) else { return nil }
            self = kind
        }
    }

    /// What becomes of a report.
    package enum Fate: Hashable, Sendable {
        /// It is counted, once however often it is reported.
        case accepted
        /// It is not counted and never will be: the delivery was not sent to the installation, counts no events, or its
        /// time is over.
        case refused
        /// It cannot be told yet: the delivery is under way, and the answer of Apple may not be recorded.
        case later
    }

    package init(delivery: String, installation: String, kind: Kind, at: Instant? = nil) {
        self.delivery = delivery
        self.installation = installation
        self.kind = kind
        self.at = at
    }
}

extension EventFigures {
    /// The devices that reported an event of a kind.
    package func devices(_ kind: DeviceEvent.Kind) -> Int {
        switch kind {
        case .received: received
        case .opened: opened
        case .dismissed: dismissed
        }
    }
}

/// The retention of the events of a delivery; a delivery without one counts none.
package struct EventRetention: Hashable, Sendable {
    /// The time for which single events are kept, and late ones accepted, after the end of the delivery.
    package var keep: Duration
    /// The last expiration of its notifications; nil when unknown: then only the closing of the delivery counts.
    package var expiresAt: Instant?

    package init(keep: Duration, expiresAt: Instant? = nil) {
        self.keep = keep
        self.expiresAt = expiresAt
    }
}

/// A delivery whose devices report events.
package struct CountedDelivery: Hashable, Sendable {
    /// The delivery, by the id in the notification's payload.
    package var delivery: String
    package var workspace: String
    /// The campaign; nil when the workspace's ledger does not have it.
    package var campaign: String?
    /// The time when its audience was frozen.
    package var startedAt: Instant
    /// The devices for which Apple accepted it.
    package var accepted: Int
    /// The devices that reported.
    package var events: EventFigures
}

// MARK: - Events

extension Journal {
    /// Records events that devices report: each that is accepted counts once, however often it is reported.
    ///
    /// - Parameters:
    ///   - events: the events, of any deliveries.
    ///   - index: what is known of the reached sets, shared by all calls of a process.
    /// - Returns: what became of each; those that are accepted are on disk.
    /// - Throws: ``RegistryError`` when the database cannot be used; then all may be reported again.
    package func record(
        _ events: [DeviceEvent], knowing index: ReachedIndex
    ) async throws(RegistryError) -> [DeviceEvent.Fate] {
        let judged = try await read { db in try db.judge(events, index) }
        let rows = judged.compactMap(\.row)
        guard !rows.isEmpty else { return judged.map(\.fate) }
        // The deliveries whose time ended meanwhile, of which nothing is written.
        let late = try await write { db in
            let deliveries = Set(rows.map(\.delivery))
            let open = try db.holdEventWindows(deliveries.sorted())
            try db.add(rows.filter { open.contains($0.delivery) })
            return deliveries.subtracting(open)
        }
        return zip(events, judged).map { late.contains($0.delivery) ? .refused : $1.fate }
    }

    /// Returns the newest deliveries that count events, at most so many.
    package func countedDeliveries(most: Int) async throws(RegistryError) -> [CountedDelivery] {
        try await read { db in
            let windows = try db.rows(
                "SELECT delivery, startedAt FROM eventWindow ORDER BY startedAt DESC, delivery LIMIT ?", [most])
            return try windows.compactMap { window -> CountedDelivery? in
                let delivery = window.string(0)
                guard let journal = try db.journal(of: delivery, .free),
                    let events = try db.eventFigures(of: delivery)
                else { return nil }
                return CountedDelivery(
                    delivery: delivery, workspace: journal.workspace,
                    campaign: try db.campaign(of: delivery, in: journal.workspace),
                    startedAt: window.time(1) ?? db.now, accepted: try db.figures(of: journal).accepted, events: events)
            }
        }
    }

    /// Replaces the single events of deliveries whose time is over by counts, in steps that each take little time.
    ///
    /// Killed or cancelled in between, it goes on where it was: each step is one transaction.
    package func foldEvents() async throws(RegistryError) {
        try await write { db in
            for window in try db.eventWindows(of: nil) where window.isOver(at: db.now) {
                try db.execute(
                    "UPDATE eventWindow SET foldedAt = ? WHERE delivery = ? AND foldedAt IS NULL",
                    [db.now, window.delivery])
            }
        }
        while !Task.isCancelled,
            try await write({ db in
                guard let delivery = try db.deliveryToFold() else { return false }
                var counts: [EventCount: Int] = [:]
                for event in try db.takeEvents(of: delivery, most: 5000) { counts[EventCount(event), default: 0] += 1 }
                try db.add(counts, of: delivery)
                return true
            })
        {}
    }
}

extension RegistryTransaction {
    /// Decides what becomes of events, without writing any; `index` is what is known of the reached sets, and takes what
    /// it lacks.
    fileprivate func judge(
        _ events: [DeviceEvent], _ index: ReachedIndex
    ) throws -> [(fate: DeviceEvent.Fate, row: EventRow?)] {
        let windows = Dictionary(
            uniqueKeysWithValues: try eventWindows(of: Set(events.map(\.delivery)).sorted()).map {
                ($0.delivery, $0)
            })
        let open = windows.filter { !$0.value.isOver(at: now) }
        let meant = events.filter { open[$0.delivery] != nil }
        let numbers = try meant.isEmpty ? [:] : numbers(ofInstallations: Set(meant.map(\.installation)).sorted())
        var places: [String: (places: [Int64: ReachedIndex.Place], isComplete: Bool)] = [:]
        for (delivery, window) in open {
            let asked = Set(meant.lazy.filter { $0.delivery == delivery }.compactMap { numbers[$0.installation] })
            places[delivery] = try index.find(asked, in: window, self)
        }
        return events.map { event in
            guard let window = open[event.delivery], let found = places[event.delivery],
                let number = numbers[event.installation]
            else { return (.refused, nil) }
            let (now, skew) = (now, DeviceEvent.clockSkew)
            let time = event.at ?? now
            guard window.startedAt - skew <= time, time <= now + skew else {
                return (.refused, nil)
            }
            guard let place = found.places[number] else { return (found.isComplete ? .refused : .later, nil) }
            let at = min(max(time, window.startedAt), now)
            return (
                .accepted,
                EventRow(delivery: event.delivery, kind: event.kind, number: number, place: place, at: at)
            )
        }
    }

    /// Returns the devices that reported events of a delivery; nil when it counts none.
    func eventFigures(of delivery: String) throws -> EventFigures? {
        guard try !eventWindows(of: [delivery]).isEmpty else { return nil }
        var figures = EventFigures()
        for (kind, place, devices) in try eventSums(of: delivery) {
            if figures.parts.last.map({ ($0.number, $0.form) != (place.part, place.form) }) ?? true {
                figures.parts.append(EventFigures.Part(number: place.part, form: place.form))
            }
            let last = figures.parts.count - 1
            switch kind {
            case .received: figures.parts[last].received = devices
            case .opened: figures.parts[last].opened = devices
            case .dismissed: figures.parts[last].dismissed = devices
            }
        }
        return figures
    }
}

extension ReachedIndex {
    /// Finds installations in the reached set of a delivery; reads what is not known of it, unless it did so just now.
    ///
    /// - Returns: their places, and true if those that were not found never will be.
    fileprivate func find(
        _ numbers: Set<Int64>, in window: EventWindow, _ db: any RegistryTransaction
    ) throws -> (places: [Int64: Place], isComplete: Bool) {
        let delivery = window.delivery
        let known = look(for: numbers, in: delivery, closedAt: window.closedAt)
        if known.places.count == numbers.count || known.isComplete { return known }
        guard let rows = rowsToRefresh(delivery) else { return known }
        let keys = try db.reachedKeys(by: delivery)
        for key in keys where !rows.contains(key) {
            guard let row = try db.reached(by: delivery, key) else { continue }
            take((key, row.form, try row.numbers()), of: delivery)
        }
        let isFinal = try window.closedAt != nil && !db.hasOpenBatch(delivery)
        noteReading(of: delivery, keys, closedAt: isFinal ? window.closedAt : nil)
        return look(for: numbers, in: delivery, closedAt: window.closedAt)
    }
}

// MARK: - Events

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
                delivery: row.string(0), startedAt: row.time(1) ?? now,
                keep: .seconds(row.integer(2) ?? 0), expiresAt: row.time(3), isFolded: row.integer(4) != nil,
                closedAt: row.time(5))
        }
    }

    /// Returns the campaign that a workspace's ledger names for the first generation of a delivery; nil when it has none.
    func campaign(of delivery: String, in workspace: String) throws -> String? {
        let document = try text(
            "SELECT document FROM deployRecord WHERE workspace = ? AND kind = ? AND key = ?",
            [workspace, DeployRecord.Kind.ledger.rawValue, delivery])
        return try document.flatMap { try JSONValue(stored: $0)["campaign"]?.string }
    }

    /// Returns the number of the installation with an `objectId`; nil when it has none.
    func number(ofInstallation objectID: String) throws -> Int64? {
        let (table, column) = dialect.numbering
        return try integer("SELECT \(column) FROM \(table) WHERE objectId = ?", [objectID])
    }

    /// Returns the numbers of installations that have one, by their ids.
    func numbers(ofInstallations ids: [String]) throws -> [String: Int64] {
        let (table, column) = dialect.numbering
        let sql = "SELECT objectId, \(column) FROM \(table) WHERE objectId \(dialect.isOneOf)"
        return try rows(sql, [SQLValue.texts(ids)]).reduce(into: [:]) { $0[$1.string(0)] = $1.integer(1) }
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
                place: ReachedIndex.Place(part: row.number(2), form: row.number(3)), at: row.instant(4))
        }
    }

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

    /// The time from which events come too late; nil while the delivery is open: a person may let it go on long after what
    /// was reckoned when it began.
    var end: Instant? { closedAt.map { max($0, expiresAt ?? $0) + keep } }

    /// True if no more events are accepted at a time.
    func isOver(at now: Instant) -> Bool { isFolded || end.map { $0 <= now } ?? false }
}

/// An accepted event.
struct EventRow: Sendable {
    let delivery: String
    let kind: DeviceEvent.Kind
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
