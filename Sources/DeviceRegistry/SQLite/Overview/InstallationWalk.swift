internal import Base

/// The index scan for a filter, so that no page reads all devices.
///
/// The most selective equality in the filter or its condition chooses the index; the rest is tested device by device.
struct InstallationWalk {
    /// Selects the devices, the last registered first; `document` is `NULL` for one that does not match.
    let statement: SQLText
    /// Counts the devices that it reads, and those of them that match.
    let counting: SQLText

    private enum Way {
        /// The one device with a unique value.
        case unique(column: String, value: String)
        /// The devices of a channel.
        case channel(String)
        /// The devices with one type or profile.
        case sharing(column: String, value: String)
        /// The devices with dead tokens.
        case invalid
        /// All devices.
        case all
    }

    /// Creates a walk for a filter, after a device, to at most so many and one more; `timeLimit` limits regular expressions.
    ///
    /// - Throws: ``RegistryError`` when the condition is invalid.
    init(
        _ filter: InstallationFilter, after start: InstallationCursor, dialect: Dialect = .sqlite,
        most: Int = Registry.mostExamined, timeLimit: Duration = ConditionTranslator.timeLimit
    ) throws(RegistryError) {
        let test = try Self.test(filter, dialect, timeLimit)
        let isBehind = SQLText(sql: "t0.id < ? ORDER BY t0.id DESC", arguments: [start.row])
        let source =
            switch Self.way(filter) {
            case .unique(let column, let value):
                SQLText(sql: "installation AS t0 WHERE ")
                    + ObjectTable(dialect: dialect, className: .installation, alias: "t0").identity(column, value)
                    + SQLText(sql: " AND ") + isBehind
            case .sharing(let column, let value):
                SQLText(sql: "installation AS t0 WHERE t0.\(column) = ? AND ", arguments: [value]) + isBehind
            case .channel(let name):
                switch dialect {
                case .sqlite:
                    SQLText(
                        sql: """
                            channel AS c CROSS JOIN installation AS t0 ON t0.id = c.installation
                            WHERE c.name = ? AND c.installation < ? ORDER BY c.installation DESC
                            """, arguments: [name, start.row])
                case .postgres:
                    SQLText(
                        sql: "installation AS t0 WHERE t0.channels @> ?::jsonb AND ",
                        arguments: [JSONValue.array([.string(name)]).canonicalText]) + isBehind
                }
            case .invalid:
                SQLText(sql: "installation AS t0 WHERE \(dialect == .sqlite ? "t0.valid = 0" : "NOT t0.valid") AND ")
                    + isBehind
            case .all: SQLText(sql: "installation AS t0 WHERE ") + isBehind
            }
        let rows = SQLText(sql: " FROM ") + source + SQLText(sql: " LIMIT ?", arguments: [most + 1])
        statement =
            SQLText(sql: "SELECT t0.id, t0.objectId, t0.createdAt, t0.updatedAt, CASE WHEN ") + test
            + SQLText(sql: " THEN t0.document END AS document") + rows
        counting =
            SQLText(sql: "SELECT COUNT(*), SUM(fits) FROM (SELECT CASE WHEN ") + test
            + SQLText(sql: " THEN 1 ELSE 0 END AS fits") + rows + SQLText(sql: ") AS walked")
    }

    private static func way(_ filter: InstallationFilter) -> Way {
        let condition = filter.condition?.object ?? [:]
        for column in ["objectId", "deviceToken", "installationId"] {
            if let value = condition[column]?.string { return .unique(column: column, value: value) }
        }
        if let name = filter.channel ?? condition["channels"]?.string { return .channel(name) }
        if (filter.isValid ?? condition["valid"]?.bool) == false { return .invalid }
        for (column, value) in [
            ("deviceProfile", filter.deviceProfile ?? condition["deviceProfile"]?.string),
            ("deviceType", filter.deviceType ?? condition["deviceType"]?.string),
        ] {
            if let value { return .sharing(column: column, value: value) }
        }
        return .all
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
