package import Base

/// A query of a class.
///
/// Source: docs/background/leancloud/objects.md#queries.
package struct ObjectQuery: Hashable, Sendable {
    /// The condition; an empty object matches everything.
    package var condition: JSONValue = [:]
    /// The maximum number of returned objects, from 0 to 1000.
    package var limit = 100
    /// The number of skipped objects.
    package var skip = 0
    /// Keys to sort by; a leading `-` sorts in descending order. By default: by distance with `$nearSphere`, else by
    /// creation.
    package var order: [String] = []
    /// Keys to return; a leading `-` excludes one. Empty for all.
    package var keys: [String] = []
    /// Keys of pointers, with optional dots, whose objects are included.
    package var include: [String] = []
    /// True to also return the number of all matching objects.
    package var countsAll = false
    /// True to return each object's ACL.
    package var showsACL = false

    /// Creates a query for all objects that returns some keys.
    package init(keys: [String] = []) {
        self.keys = keys
    }
}

extension ObjectQuery {
    /// The maximum number of keys to sort by.
    static let mostOrders = 50

    /// Returns the order as SQL, ending with a tie-breaker.
    package func ordering(_ table: ObjectTable, distance: SQLText?) throws(RegistryError) -> SQLText {
        var terms: [SQLText] = []
        for entry in order where !entry.isEmpty {
            let isDescending = entry.hasPrefix("-")
            let columns = try table.order(isDescending ? String(entry.dropFirst()) : entry)
            terms += columns.map { SQLText(sql: table.dialect.ordered($0, isDescending)) }
        }
        guard terms.count <= Self.mostOrders else {
            throw RegistryError(.invalidQuery, "order takes \(Self.mostOrders) keys at most.")
        }
        if terms.isEmpty, let distance { terms.append(distance) }
        terms.append(SQLText(sql: "\(table.alias).id"))
        return SQLText(sql: " ORDER BY ") + .list(terms, by: ", ")
    }

    /// True if reading can stop after the first matches, since the order is that of an index.
    package func stopsEarly(_ plan: QueryPlan) -> Bool {
        guard let first = order.first(where: { !$0.isEmpty }) else { return plan.nearness == nil }
        return ["createdAt", "updatedAt"].contains(first.hasPrefix("-") ? String(first.dropFirst()) : first)
    }

    /// Returns the object with the requested keys.
    package func projected(_ object: JSONValue) -> JSONValue {
        let hidden = keys.filter { $0.hasPrefix("-") }.map { String($0.dropFirst()) }
        let shown = keys.filter { !$0.hasPrefix("-") && !$0.isEmpty }
        var result = object
        if !shown.isEmpty {
            result = [:]
            for key in shown + ["objectId", "createdAt", "updatedAt"] + (showsACL ? ["ACL"] : []) {
                Self.copy(key.split(separator: ".").map(String.init)[...], from: object, to: &result)
            }
        }
        for key in hidden { Self.remove(key.split(separator: ".").map(String.init)[...], from: &result) }
        return result
    }

    private static func remove(_ path: ArraySlice<String>, from object: inout JSONValue) {
        guard let key = path.first, var inner = object[key] else { return }
        guard path.count > 1 else {
            object[key] = nil
            return
        }
        guard inner.object != nil else { return }
        remove(path.dropFirst(), from: &inner)
        object[key] = inner
    }

    private static func copy(_ path: ArraySlice<String>, from source: JSONValue, to target: inout JSONValue) {
        guard let key = path.first, let value = source[key] else { return }
        guard path.count > 1 else {
            target[key] = value
            return
        }
        guard value.object != nil else { return }
        var inner = target[key] ?? [:]
        // These identify an included object.
        if value["__type"] == "Pointer" {
            for name in ["__type", "className", "objectId"] { inner[name] = value[name] }
        }
        copy(path.dropFirst(), from: value, to: &inner)
        target[key] = inner
    }
}
