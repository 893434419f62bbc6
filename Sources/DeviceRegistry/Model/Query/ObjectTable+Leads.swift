internal import Base

extension ObjectTable {
    /// Returns the index that finds every device whose key passes a test; `nil` when there is none, or PostgreSQL
    /// chooses.
    func lead(_ path: FieldPath, _ predicate: Predicate) -> Lead? {
        guard className.isInstallation, dialect == .sqlite, let key = path.simpleKey else { return nil }
        switch key {
        case "createdAt", "updatedAt": return times(key, predicate)
        case "channels": return channels(predicate)
        case "valid":
            guard case .equals(.bool(false)) = predicate else { return nil }
            return Lead(rows: SQLText(sql: "SELECT id FROM installation WHERE valid = 0"), kind: .validity)
        case "objectId": return texts(key, predicate, .unique)
        default:
            guard Self.textColumns.contains(key) else { return values(key, predicate) }
            let predicate = spelled(path, predicate)
            let kind: Lead.Kind =
                switch key {
                case "deviceType": .platform
                case "deviceProfile": .profile
                default: .unique
                }
            return texts(key, predicate, kind)
        }
    }

    private func times(_ column: String, _ predicate: Predicate) -> Lead? {
        let sign: String
        let instant: TypedValue
        switch predicate {
        case .equals(let value): (sign, instant) = ("=", value)
        case .compares(let comparison, let value): (sign, instant) = (comparison.rawValue, value)
        case .isIn, .matches, .selected: return nil
        }
        guard let milliseconds = try? Self.milliseconds(instant) else { return nil }
        return Lead(
            rows: SQLText(
                sql: "SELECT id FROM installation WHERE \(column) \(sign) ?", arguments: [milliseconds]), kind: .time)
    }

    private func texts(_ column: String, _ predicate: Predicate, _ kind: Lead.Kind) -> Lead? {
        switch predicate {
        case .equals(.text(let text)) where !text.isEmpty:
            return Lead(
                rows: SQLText(sql: "SELECT id FROM installation WHERE \(column) = ?", arguments: [text]), kind: kind)
        case .isIn(let values):
            guard let texts = Self.texts(values) else { return nil }
            return Lead(
                rows: SQLText(
                    sql: "SELECT id FROM installation WHERE \(column) IN (SELECT value FROM json_each(?))",
                    arguments: [SQLValue.texts(texts)]),
                // A long list of unique values may match many devices.
                kind: kind == .unique && texts.count > 100 ? .channel : kind)
        case .equals, .compares, .matches, .selected: return nil
        }
    }

    private func channels(_ predicate: Predicate) -> Lead? {
        switch predicate {
        case .equals(.text(let name)):
            return Lead(
                rows: SQLText(sql: "SELECT installation AS id FROM channel WHERE name = ?", arguments: [name]),
                kind: .channel)
        case .isIn(let values):
            guard let names = Self.texts(values) else { return nil }
            return Lead(
                rows: SQLText(
                    sql: "SELECT installation AS id FROM channel WHERE name IN (SELECT value FROM json_each(?))",
                    arguments: [SQLValue.texts(names)]), kind: .channel, isDistinct: false)
        case .equals, .compares, .matches, .selected: return nil
        }
    }

    /// Returns the index over the values of a custom field, which exists when it is queried often.
    private func values(_ key: String, _ predicate: Predicate) -> Lead? {
        switch predicate {
        case .equals(let value):
            guard let indexed = Self.indexed(value) else { return nil }
            let isPointer = if case .pointer = value { true } else { false }
            return Lead(
                rows: SQLText(
                    sql: """
                        SELECT installation AS id FROM fieldValue \
                        WHERE field = (SELECT id FROM indexedField WHERE name = ?) AND value = ?
                        """, arguments: [key, indexed]),
                kind: .field, isExact: !isPointer, fields: [key])
        case .isIn(let values):
            guard let texts = Self.texts(values), texts.allSatisfy({ Self.indexed(.text($0)) != nil }) else {
                return nil
            }
            return Lead(
                rows: SQLText(
                    sql: """
                        SELECT installation AS id FROM fieldValue \
                        WHERE field = (SELECT id FROM indexedField WHERE name = ?) \
                        AND value IN (SELECT value FROM json_each(?))
                        """, arguments: [key, SQLValue.texts(texts)]),
                kind: .field, isDistinct: false, fields: [key])
        case .compares, .matches, .selected: return nil
        }
    }

    /// The maximum length of an indexed string.
    package static let longestIndexed = 200

    /// Returns a value as stored in the index; `nil` for values that are not indexed.
    static func indexed(_ value: TypedValue) -> SQLValue? {
        switch value {
        case .text(let text): text.unicodeScalars.count <= longestIndexed ? .text(text) : nil
        case .number(let number): number.sqlNumber
        case .bool(let flag): .bytes([flag ? 1 : 0])
        case .pointer(_, let objectID): .bytes(Array(("p" + objectID).utf8))
        case .null, .date, .point, .whole: nil
        }
    }

    /// Returns the index for devices with a pointer to one of the objects that a subquery selects by `objectId`.
    func lead(_ path: FieldPath, pointersTo query: SQLText) -> [Lead] {
        guard className.isInstallation, dialect == .sqlite, let key = path.simpleKey,
            !Self.textColumns.contains(key)
        else { return [] }
        let rows =
            SQLText(
                sql: """
                    SELECT installation AS id FROM fieldValue \
                    WHERE field = (SELECT id FROM indexedField WHERE name = ?) \
                    AND value IN (SELECT CAST('p' || objectId AS BLOB) FROM (
                    """, arguments: [key]) + query + SQLText(sql: "))")
        return [Lead(rows: rows, kind: .query, isExact: false, isDistinct: false, fields: [key])]
    }

    /// The values, if all are non-empty strings.
    static func texts(_ values: [TypedValue]) -> [String]? {
        let texts = values.compactMap { if case .text(let text) = $0, !text.isEmpty { text } else { nil } }
        return texts.count == values.count ? texts : nil
    }
}
