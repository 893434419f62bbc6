package import Base
package import Push

/// A person's description of the device they look for.
package enum DeviceSearch: Hashable, Sendable {
    /// A device token, an installation id, an `objectId`, a part of one of them, or a user's `objectId`.
    case text(String)
    /// A condition, from a field and its value.
    case condition(JSONValue)

    /// The pointers of a device that name its user.
    static let userFields = ["owner", "user"]

    /// Reads what was typed: `name = value`, where the value may be JSON, or any part of a token or an id.
    package init(_ typed: String) {
        let text = typed.trimmed
        let sides = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map {
            String($0).trimmed
        }
        if sides.count == 2, !sides[1].isEmpty, !sides[1].hasPrefix("="), (try? FieldPath(sides[0])) != nil {
            self = .condition(Self.condition(sides[0], sides[1]))
        } else {
            self = .text(text)
        }
    }

    /// The condition that a field has a value as written, or the number or flag that it is in JSON.
    private static func condition(_ name: String, _ text: String) -> JSONValue {
        guard let value = try? JSONValue(parsing: text, limits: .anyMemory) else { return [name: .string(text)] }
        switch value {
        case .string: return [name: value]
        // Two conditions, because an index finds each.
        case .integer, .number, .bool: return ["$or": [[name: value], [name: .string(text)]]]
        case .null, .array, .object: return [name: .string(text)]
        }
    }

    /// The condition that a device's user has an `objectId`.
    static func isOf(user objectID: String) -> JSONValue {
        let pointer: JSONValue = ["__type": "Pointer", "className": "_User", "objectId": .string(objectID)]
        return ["$or": .array(userFields.map { .object([$0: pointer]) })]
    }

    /// The pattern of `LIKE`, with `!` as its escape, for a part of a token: `…` stands for what a page left out.
    static func pattern(_ part: String) -> String {
        var pattern = "%"
        for character in part.lowercased() {
            switch character {
            case "%", "_", "!": pattern += "!\(character)"
            case "…": pattern += "%"
            default: pattern.append(character)
            }
        }
        return pattern + "%"
    }
}

extension String {
    /// The text without white space around it.
    fileprivate var trimmed: String {
        String(drop(while: \.isWhitespace).reversed().drop(while: \.isWhitespace).reversed())
    }
}

// MARK: - Device search

/// The devices that the indexes found at once.
package struct FoundDevices: Hashable, Sendable {
    /// The device whose token or id is exactly what was looked for.
    package let exact: StoredObject?
    /// The devices, those found exactly or by the beginning of a token or id first.
    package let objects: [StoredObject]
}

extension Registry {
    /// Returns devices that an index finds: by a token or id or the beginning of one, by the user, or by an indexed
    /// field; at most `limit`.
    ///
    /// Anything else, such as the middle of a token, is found by ``installations(_:after:limit:mostExamined:)``.
    ///
    /// - Throws: ``RegistryError`` when the condition is invalid or took too long.
    package func devices(_ search: DeviceSearch, limit: Int) async throws(RegistryError) -> FoundDevices {
        let timeLimit = queryTimeLimit
        let condition: JSONValue =
            switch search {
            case .condition(let condition): condition
            case .text(let text): DeviceSearch.isOf(user: text)
            }
        return try await query(condition) { db in
            var objects: [StoredObject] = []
            var exact: StoredObject?
            if case .text(let text) = search {
                exact = try Self.device(named: text, in: db)
                objects = exact.map { [$0] } ?? []
                objects += try Self.devices(beginningWith: text, limit: limit, in: db)
            }
            objects += try Self.indexed(condition, limit: limit, timeLimit, in: db)
            var seen: Set<Int64> = []
            return FoundDevices(
                exact: exact, objects: Array(objects.filter { seen.insert($0.row).inserted }.prefix(limit)))
        }
    }

    /// Returns the time when a token was reported dead; nil for any other token.
    package func deathOfToken(_ token: String) async throws(RegistryError) -> Instant? {
        try await read { db in
            let sql = "SELECT MAX(reportedAt) FROM deadToken WHERE token IN (?, ?)"
            return try db.integer(sql, [token, AppleToken.normalized(token)])
                .map(Instant.init(milliseconds:))
        }
    }

    private static func device(named text: String, in db: any RegistryTransaction) throws -> StoredObject? {
        let store = ObjectStore(db: db, className: .installation, access: .master)
        for (column, value) in [
            ("objectId", text), ("deviceToken", text), ("deviceToken", AppleToken.normalized(text)),
            ("installationId", text),
        ] {
            if let found = try store.first(column, value) { return found }
        }
        return nil
    }

    private static func devices(beginningWith text: String, limit: Int, in db: any RegistryTransaction) throws
        -> [StoredObject]
    {
        guard !text.isEmpty else { return [] }
        return try ["deviceToken", "installationId", "objectId"].flatMap { column in
            // Tokens of Apple's are kept in lower case.
            try Set([text, text.lowercased()]).sorted().flatMap { start in
                let sql = """
                    SELECT \(ObjectStore.columns) FROM installation AS t0
                    WHERE t0.\(column) >= ? AND t0.\(column) < ? ORDER BY t0.\(column) LIMIT ?
                    """
                return try db.rows(sql, [start, start + "\u{10FFFF}", limit]).map(StoredObject.init)
            }
        }
    }

    /// Devices that match a condition, if an index drives every alternative of it.
    private static func indexed(
        _ condition: JSONValue, limit: Int, _ timeLimit: Duration, in db: any RegistryTransaction
    ) throws -> [StoredObject] {
        let ready = try FieldIndexes.ready(in: db)
        return try (condition["$or"]?.array ?? [condition]).flatMap { part -> [StoredObject] in
            var translator = ConditionTranslator(
                dialect: db.dialect, className: .installation, access: .master, timeLimit: timeLimit)
            let plan = try translator.plan(part)
            guard plan.terms.contains(where: { $0.leads.contains { $0.fields.isSubset(of: ready) } }) else { return [] }
            let sql =
                SQLText(sql: "SELECT \(ObjectStore.columns) FROM installation AS t0 WHERE ") + (try plan.clause(in: db))
                + SQLText(sql: " LIMIT ?", arguments: [limit])
            return try db.rows(sql).map(StoredObject.init)
        }
    }
}

/// A device with the newest messages that it received.
package struct DeviceScreen: Hashable, Sendable {
    package let device: StoredObject
    /// The messages, the newest first.
    package let messages: [ReceivedPush]
}

extension Registry {
    /// Returns the device with this `objectId` and its newest messages, at most `limit`; `nil` when there is no such
    /// device.
    package func screen(ofDevice objectID: String, limit: Int) async throws(RegistryError) -> DeviceScreen? {
        try await read { db in
            let store = ObjectStore(db: db, className: .installation, access: .master)
            return try store.object(objectID).map { try DeviceScreen($0, limit: limit, in: db) }
        }
    }

    /// Returns up to `apple` devices on Apple's platforms and `others` on other platforms, with the newest `limit`
    /// messages each: devices that received something lately, else those written last.
    package func sampleScreens(apple: Int, others: Int, limit: Int) async throws(RegistryError) -> [DeviceScreen] {
        try await read { db in
            let recent = """
                SELECT \(ObjectStore.columns) FROM
                (SELECT DISTINCT installation FROM (SELECT installation FROM inbox ORDER BY id DESC LIMIT 400) AS newest) AS seen
                \(db.dialect.thenJoin) installation AS t0 ON t0.id = seen.installation ORDER BY t0.id
                """
            let written = """
                SELECT \(ObjectStore.columns) FROM installation AS t0 ORDER BY t0.updatedAt DESC, t0.id DESC LIMIT 40
                """
            var chosen: [StoredObject] = []
            for sql in [recent, written] {
                for object in try db.rows(sql, []).map(StoredObject.init) {
                    let isApple = object.isApple
                    let room = isApple ? apple : others
                    if chosen.count(where: { $0.isApple == isApple }) < room, !chosen.contains(object) {
                        chosen.append(object)
                    }
                }
            }
            chosen.sort { left, right in left.isApple && !right.isApple }
            return try chosen.map { try DeviceScreen($0, limit: limit, in: db) }
        }
    }
}

extension StoredObject {
    /// True for a device of one of Apple's platforms.
    package var isApple: Bool {
        InstallationRules.applePlatforms.contains(fields["deviceType"]?.string ?? "")
    }
}

extension DeviceScreen {
    /// Reads the messages under each name that a device can have in an inbox, each name by the index.
    fileprivate init(_ device: StoredObject, limit: Int, in db: any RegistryTransaction) throws {
        let sql = """
            SELECT \(ReceivedPush.columns), inbox.id
            FROM inbox \(db.dialect.thenJoin) push ON push.id = inbox.push WHERE device = ? ORDER BY inbox.id DESC LIMIT ?
            """
        var rows: [any SQLRow] = []
        let names = [device.fields["deviceToken"]?.string, device.fields["installationId"]?.string, device.objectID]
        for name in Set(names.compactMap(\.self)) {
            rows += try db.rows(sql, [name, limit])
        }
        rows.sort { $0.number(7) > $1.number(7) }
        self.device = device
        messages = try rows.prefix(limit).map(ReceivedPush.init)
    }
}

/// A delivery that a device did not get from Apple, or perhaps not.
package struct DeviceFailure: Hashable, Sendable {
    /// The delivery's id, which is the `objectId` of one of the server's own pushes.
    package let delivery: String
    /// The content of one of the server's own pushes; nil for the delivery of a workspace.
    package let data: JSONValue?
    /// The workspace of the delivery; empty for the server's own pushes.
    package let workspace: String
    /// The outcome so far.
    package let ending: TargetState
    /// Apple's reason, or our own.
    package let reason: String
    /// The time of the push, or of the delivery's first batch; nil when it is not known.
    package let at: Instant?
}

extension Registry {
    /// The number of failures of one token that are read.
    private static let mostFailures = 200

    /// Returns the deliveries that a device token did not get, the newest first, at most `limit`.
    package func failures(ofToken token: String, limit: Int) async throws(RegistryError) -> [DeviceFailure] {
        try await read { db in
            let sql = """
                SELECT target.delivery, target.state, target.reason, journal.workspace, push.request, push.createdAt,
                  batch.settledAt, batch.claimedAt
                FROM (SELECT delivery, state, reason FROM journalTarget WHERE token IN (?, ?) LIMIT ?) AS target
                LEFT JOIN journal ON journal.delivery = target.delivery
                LEFT JOIN push ON push.objectId = target.delivery
                LEFT JOIN journalBatch AS batch ON batch.delivery = target.delivery AND batch.number = 1
                """
            let values: [any SQLBindable] = [token, AppleToken.normalized(token), Self.mostFailures]
            let failures = try db.rows(sql, values).map(DeviceFailure.init)
            let newest = failures.sorted {
                ($0.at?.milliseconds ?? 0, $0.delivery) > ($1.at?.milliseconds ?? 0, $1.delivery)
            }
            return Array(newest.prefix(limit))
        }
    }
}

extension DeviceFailure {
    fileprivate init(_ row: any SQLRow) throws {
        delivery = row.string(0)
        data = try row.text(4).map { try PushDelivery.order($0).data }
        workspace = row.string(3)
        ending = TargetState(rawValue: row.integer(1) ?? 0) ?? .inDoubt
        reason = row.string(2)
        at = row.time(5) ?? row.time(6) ?? row.time(7)
    }
}
