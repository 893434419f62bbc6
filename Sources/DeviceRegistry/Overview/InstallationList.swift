package import Base

/// A filter for the list of devices; `nil` matches anything.
package struct InstallationFilter: Hashable, Sendable {
    /// The kind of device: `ios`, `android`.
    package var deviceType: String?
    /// A channel that the device is in.
    package var channel: String?
    /// The name of the certificate for pushes to it.
    package var deviceProfile: String?
    /// The value of `valid`.
    package var isValid: Bool?
    /// A query condition. Source: docs/background/leancloud/objects.md#queries.
    package var condition: JSONValue?
    /// A part of a token or an id, or the `objectId` of the device's user.
    package var part: String?

    /// Creates a filter that matches every device.
    package init() {}
}

/// The last device of a page, after which the next page starts.
package struct InstallationCursor: Hashable, Sendable {
    let row: Int64
    /// The number of matching devices up to this one.
    package let count: Int

    /// The position before the first device.
    static let start = InstallationCursor(row: .max, count: 0)
}

extension InstallationCursor {
    /// Parses the result of ``text``; `nil` when it is invalid.
    package init?(_ text: String) {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false).map { Int64($0) }
        guard parts.count == 2, let row = parts[0], row > 0, let count = parts[1].flatMap(Int.init(exactly:)),
            (0...Int(Int32.max)).contains(count)
        else { return nil }
        self.init(row: row, count: count)
    }

    /// The cursor in a URL.
    package var text: String { "\(row)-\(count)" }
}

/// A page of the devices that match a filter.
package struct InstallationPage: Hashable, Sendable {
    /// The devices, the last registered first.
    package let objects: [StoredObject]
    /// The start of the next page; `nil` when there are no more.
    package let next: InstallationCursor?
    /// The number of examined devices.
    package let examined: Int
    /// True if the search stopped before the page was full, because it reached the limit of examined devices.
    package let stoppedEarly: Bool

    /// A page without devices, for an invalid filter.
    package static let empty = InstallationPage(objects: [], next: nil, examined: 0, stoppedEarly: false)
}

/// The number of devices or pushes on all pages of a list.
package struct ListCount: Hashable, Sendable {
    /// The number, as far as it was counted.
    package let number: Int
    /// True if there may be more.
    package let isAtLeast: Bool

    package init(_ number: Int, isAtLeast: Bool = false) {
        self.number = number
        self.isAtLeast = isAtLeast
    }
}

extension InstallationPage {
    /// Creates the only page of devices that were found at once.
    package init(found objects: [StoredObject]) {
        self.init(objects: objects, next: nil, examined: objects.count, stoppedEarly: false)
    }
}

// MARK: - Installations

extension Registry {
    /// The maximum number of devices that one page examines.
    package static let mostExamined = 20_000

    /// Searches for the next devices that match a filter.
    ///
    /// Whatever the filter, at most ``mostExamined`` devices are read; a search that found too few of them says so, and
    /// continues from the page's cursor.
    ///
    /// - Parameters:
    ///   - filter: the filter; without any values it matches every device.
    ///   - cursor: the end of the previous page; `nil` for the first page.
    ///   - limit: the number of devices per page, from 1.
    ///   - mostExamined: the maximum number of examined devices.
    /// - Returns: the page, the last registered device first.
    /// - Throws: ``RegistryError`` when the condition is invalid or took too long.
    package func installations(
        _ filter: InstallationFilter, after cursor: InstallationCursor? = nil, limit: Int,
        mostExamined: Int = mostExamined
    ) async throws(RegistryError) -> InstallationPage {
        let timeLimit = queryTimeLimit
        return try await query(filter.condition ?? [:]) { db in
            let start = cursor ?? .start
            let walk = try InstallationWalk(
                filter, after: start, dialect: db.dialect, most: mostExamined, timeLimit: timeLimit)
            var objects: [StoredObject] = []
            var last: InstallationCursor?
            var examined = 0
            var hasMore = false
            try db.each(walk.statement) { row in
                hasMore = objects.count >= limit || examined >= mostExamined
                guard !hasMore else { return false }
                examined += 1
                if row.text(4) != nil { objects.append(try StoredObject(row)) }
                last = InstallationCursor(row: row.integer(0) ?? 0, count: start.count + objects.count)
                return true
            }
            return InstallationPage(
                objects: objects, next: hasMore ? last : nil, examined: examined,
                stoppedEarly: hasMore && objects.count < limit)
        }
    }

    /// Counts the devices that match a filter, among the ``mostExamined`` that were registered last.
    ///
    /// - Throws: ``RegistryError`` when the condition is invalid or took too long.
    package func installationCount(
        _ filter: InstallationFilter, mostExamined: Int = mostExamined
    ) async throws(RegistryError) -> ListCount {
        let timeLimit = queryTimeLimit
        return try await query(filter.condition ?? [:]) { db in
            let walk = try InstallationWalk(
                filter, after: .start, dialect: db.dialect, most: mostExamined, timeLimit: timeLimit)
            let row = try db.rows(walk.counting).first
            return ListCount(row?.number(1) ?? 0, isAtLeast: row.map { $0.number(0) > mostExamined } ?? false)
        }
    }
}

/// The index scan for a filter, so that no page reads all devices.
///
/// The most selective equality in the filter or its condition chooses the index; the rest is tested device by device.
struct InstallationWalk {
    /// Selects the devices, the last registered first; `document` is `NULL` for one that does not match.
    let statement: SQLText
    /// Counts the devices that it reads, and those of them that match.
    let counting: SQLText

    /// Creates a walk for a filter, after a device, to at most so many and one more; `timeLimit` limits regular expressions.
    ///
    /// - Throws: ``RegistryError`` when the condition is invalid.
    init(
        _ filter: InstallationFilter, after start: InstallationCursor, dialect: Dialect = .sqlite,
        most: Int = Registry.mostExamined, timeLimit: Duration = ConditionTranslator.timeLimit
    ) throws(RegistryError) {
        let test = try Self.test(filter, dialect, timeLimit)
        let rows =
            SQLText(sql: " FROM ") + Self.source(filter, after: start, dialect)
            + SQLText(sql: " LIMIT ?", arguments: [most + 1])
        statement =
            SQLText(sql: "SELECT t0.id, t0.objectId, t0.createdAt, t0.updatedAt, CASE WHEN ") + test
            + SQLText(sql: " THEN t0.document END AS document") + rows
        counting =
            SQLText(sql: "SELECT COUNT(*), SUM(fits) FROM (SELECT CASE WHEN ") + test
            + SQLText(sql: " THEN 1 ELSE 0 END AS fits") + rows + SQLText(sql: ") AS walked")
    }

    /// Returns the devices after `start` that one index finds, the last registered first.
    private static func source(
        _ filter: InstallationFilter, after start: InstallationCursor, _ dialect: Dialect
    ) -> SQLText {
        func devices(_ tests: SQLText...) -> SQLText {
            let isBehind = SQLText(sql: "t0.id < ? ORDER BY t0.id DESC", arguments: [start.row])
            return SQLText(sql: "installation AS t0 WHERE ") + .list(tests + [isBehind], by: " AND ")
        }
        let condition = filter.condition?.object ?? [:]
        let table = ObjectTable(dialect: dialect, className: .installation, alias: "t0")
        for column in ["objectId", "deviceToken", "installationId"] {
            if let value = condition[column]?.string { return devices(table.identity(column, value)) }
        }
        if let name = filter.channel ?? condition["channels"]?.string {
            switch dialect {
            case .sqlite:
                return SQLText(
                    sql: """
                        channel AS c CROSS JOIN installation AS t0 ON t0.id = c.installation
                        WHERE c.name = ? AND c.installation < ? ORDER BY c.installation DESC
                        """, arguments: [name, start.row])
            case .postgres:
                let list = JSONValue(texts: [name]).canonicalText
                return devices(SQLText(sql: "t0.channels @> ?::jsonb", arguments: [list]))
            }
        }
        if (filter.isValid ?? condition["valid"]?.bool) == false {
            return devices(SQLText(sql: dialect == .sqlite ? "t0.valid = 0" : "NOT t0.valid"))
        }
        for (column, value) in [
            ("deviceProfile", filter.deviceProfile ?? condition["deviceProfile"]?.string),
            ("deviceType", filter.deviceType ?? condition["deviceType"]?.string),
        ] {
            if let value { return devices(SQLText(sql: "t0.\(column) = ?", arguments: [value])) }
        }
        return devices()
    }

    /// Returns SQL that is true for matching devices.
    private static func test(
        _ filter: InstallationFilter, _ dialect: Dialect, _ timeLimit: Duration
    ) throws(RegistryError) -> SQLText {
        var condition: JSONObject = [:]
        condition["deviceType"] = filter.deviceType.map { .string($0) }
        condition["deviceProfile"] = filter.deviceProfile.map { .string($0) }
        condition["channels"] = filter.channel.map { .string($0) }
        condition["valid"] = filter.isValid.map { .bool($0) }
        var translator = ConditionTranslator(
            dialect: dialect, className: .installation, access: .master, timeLimit: timeLimit)
        let whole: JSONValue = filter.condition.map { ["$and": [.object(condition), $0]] } ?? .object(condition)
        let clause = try translator.plan(whole).clause
        guard let part = filter.part else { return clause }
        let isOfUser = try translator.plan(DeviceSearch.isOf(user: part)).clause
        let names = ["deviceToken", "installationId", "objectId"].map { column in
            SQLText(sql: "lower(t0.\(column)) LIKE ? ESCAPE '!'", arguments: [DeviceSearch.pattern(part)])
        }
        return SQLText(sql: "(") + .list(names + [isOfUser], by: " OR ") + SQLText(sql: ") AND (") + clause
            + SQLText(sql: ")")
    }
}
