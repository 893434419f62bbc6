internal import GRDB
internal import JSONValue

/// The order in which devices are looked at for a filter: along one index, so that no page reads them all.
///
/// The most telling equality of the filter or of its condition chooses the index; the rest is tested device by device.
struct InstallationWalk {
    private let columns: SQL
    private let start: InstallationCursor
    private let way: Way

    private enum Way {
        /// The one device that holds a unique value.
        case unique(column: String, value: String)
        /// The devices of a channel.
        case channel(String)
        /// The devices by when they were written: all, or those of one kind or profile, a branch for each validity,
        /// which stands before the time in those indexes.
        case written(column: (name: String, value: String)?, validities: [Bool?]?)
    }

    /// A walk for a filter, from behind a device.
    ///
    /// - Throws: ``RegistryError`` when the condition cannot be read.
    init(_ filter: InstallationFilter, after start: InstallationCursor) throws(RegistryError) {
        self.start = start
        way = Self.way(filter)
        columns =
            SQL(sql: "SELECT t0.id, t0.objectId, t0.createdAt, t0.updatedAt, CASE WHEN ") + (try Self.test(filter))
            + SQL(sql: " THEN t0.document END AS document FROM ")
    }

    /// The statements whose rows together are the walk, each in the walk's order; `document` is `NULL` for a device
    /// that does not fit.
    var branches: [SQL] {
        switch way {
        case .unique(let column, let value):
            return [
                columns
                    + SQL(
                        sql: "installation AS t0 WHERE t0.\(column) = ? AND (t0.updatedAt, t0.id) < (?, ?)",
                        arguments: [value, start.updatedAt, start.row])
            ]
        case .channel(let name):
            return [
                columns
                    + SQL(
                        sql: """
                            channel AS c CROSS JOIN installation AS t0 ON t0.id = c.installation
                            WHERE c.name = ? AND c.installation < ? ORDER BY c.installation DESC
                            """, arguments: [name, start.row])
            ]
        case .written(let column, let validities):
            let order = SQL(sql: " ORDER BY t0.updatedAt DESC, t0.id DESC")
            var clauses = [SQL(sql: "(t0.updatedAt, t0.id) < (?, ?)", arguments: [start.updatedAt, start.row])]
            if let column { clauses.append(SQL(sql: "t0.\(column.name) = ?", arguments: [column.value])) }
            let source = columns + SQL(sql: "installation AS t0 WHERE ")
            guard let validities else { return [source + .all(of: clauses) + order] }
            return validities.map { validity in
                source + .all(of: clauses + [SQL(sql: "t0.valid IS ?", arguments: [validity])]) + order
            }
        }
    }

    /// Whether `left` comes before `right` in the walk.
    func precedes(_ left: InstallationCursor, _ right: InstallationCursor) -> Bool {
        switch way {
        case .channel: left.row > right.row
        case .unique, .written: (left.updatedAt, left.row) > (right.updatedAt, right.row)
        }
    }

    private static func way(_ filter: InstallationFilter) -> Way {
        let condition = filter.condition?.object ?? [:]
        for column in ["objectId", "deviceToken", "installationId"] {
            if let value = condition[column]?.string { return .unique(column: column, value: value) }
        }
        if let name = filter.channel ?? condition["channels"]?.string { return .channel(name) }
        let validities: [Bool?]? =
            filter.isValid.map { $0 ? [true] : [false, nil] } ?? condition["valid"]?.bool.map { [$0] }
        for (name, value) in [
            ("deviceProfile", filter.deviceProfile ?? condition["deviceProfile"]?.string),
            ("deviceType", filter.deviceType ?? condition["deviceType"]?.string),
        ] {
            if let value { return .written(column: (name, value), validities: validities ?? [true, false, nil]) }
        }
        return .written(column: nil, validities: validities)
    }

    /// The SQL that is true for the devices that fit.
    private static func test(_ filter: InstallationFilter) throws(RegistryError) -> SQL {
        var clauses: [SQL] = []
        if let type = filter.deviceType { clauses.append(SQL(sql: "t0.deviceType = ?", arguments: [type])) }
        if let profile = filter.deviceProfile {
            clauses.append(SQL(sql: "t0.deviceProfile = ?", arguments: [profile]))
        }
        if let isValid = filter.isValid { clauses.append(SQL(sql: "t0.valid IS \(isValid ? "" : "NOT ")1")) }
        if let channel = filter.channel {
            clauses.append(
                SQL(
                    sql: "EXISTS (SELECT 1 FROM channel WHERE name = ? AND installation = t0.id)",
                    arguments: [channel]))
        }
        if let condition = filter.condition {
            var translator = ConditionTranslator(className: .installation, access: .master)
            clauses.append(try translator.translate(condition))
        }
        return .all(of: clauses)
    }
}
