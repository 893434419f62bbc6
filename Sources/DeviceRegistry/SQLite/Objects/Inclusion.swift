internal import Base

/// Replaces pointers by the objects that they refer to.
///
/// An expanded pointer keeps `"__type": "Pointer"` and its class beside the object's fields. A pointer whose object
/// does not exist, or may not be read, is left unchanged. Source:
/// docs/background/leancloud/objects.md#included-objects.
struct Inclusion {
    let db: any RegistryTransaction
    let access: Access

    /// The maximum number of segments in a path.
    static let deepest = 8
    /// The maximum number of paths in a query.
    static let mostPaths = 50

    /// The keys to expand, and those below each.
    private struct Branch {
        var children: [String: Branch] = [:]

        mutating func insert(_ path: ArraySlice<String>) {
            guard let first = path.first else { return }
            children[first, default: Branch()].insert(path.dropFirst())
        }
    }

    /// A pointer's class and object.
    private struct Target: Hashable {
        let className: String
        let objectID: String

        init?(_ value: JSONValue) {
            guard value["__type"] == "Pointer", let name = value["className"]?.string,
                let objectID = value["objectId"]?.string
            else { return nil }
            className = name
            self.objectID = objectID
        }
    }

    /// An object in the form that replaces a pointer, and its size in bytes.
    private struct Content {
        let object: JSONValue
        let size: Int
    }

    /// Returns the objects with the pointers in `paths` expanded.
    ///
    /// - Throws: ``RegistryError`` with code 105 for paths that are too many or too deep, 116 when the response grows
    ///   too large.
    func expanded(
        _ objects: [JSONValue], _ paths: [String], _ budget: inout AnswerBudget
    ) throws -> [JSONValue] {
        guard !paths.isEmpty else { return objects }
        var root = Branch()
        for path in paths {
            let parts = path.split(separator: ".").map(String.init)
            guard paths.count <= Self.mostPaths, (1...Self.deepest).contains(parts.count) else {
                throw RegistryError(
                    .invalidKey, "include takes \(Self.mostPaths) keys of \(Self.deepest) parts at most.")
            }
            root.insert(parts[...])
        }
        return try expanded(objects, root, &budget)
    }

    private func expanded(
        _ values: [JSONValue], _ branch: Branch, _ budget: inout AnswerBudget
    ) throws -> [JSONValue] {
        var values = values
        for (key, below) in branch.children.sorted(by: { $0.key < $1.key }) {
            let found = try objects(Set(values.flatMap { Self.targets($0[key]) }), below, &budget)
            for index in values.indices {
                guard let value = values[index][key] else { continue }
                values[index][key] = try replaced(value, found, below, &budget)
            }
        }
        return values
    }

    private static func targets(_ value: JSONValue?) -> [Target] {
        guard let value else { return [] }
        return (value.array ?? [value]).compactMap(Target.init)
    }

    private func replaced(
        _ value: JSONValue, _ found: [Target: Content], _ below: Branch, _ budget: inout AnswerBudget
    ) throws -> JSONValue {
        if let elements = value.array {
            var result: [JSONValue] = []
            for element in elements { result.append(try replaced(element, found, below, &budget)) }
            return .array(result)
        }
        if let target = Target(value) {
            guard let content = found[target] else { return value }
            try budget.spend(content.size)
            return content.object
        }
        // A plain object on the path: the pointers are deeper.
        guard value.object != nil, !below.children.isEmpty else { return value }
        return try expanded([value], below, &budget)[0]
    }

    private func objects(
        _ targets: Set<Target>, _ below: Branch, _ budget: inout AnswerBudget
    ) throws -> [Target: Content] {
        var found: [Target: Content] = [:]
        for (name, targets) in Dictionary(grouping: targets, by: \.className).sorted(by: { $0.key < $1.key }) {
            guard let className = try? ClassName(name),
                access == .master || !(className.needsMasterKey || className.isInstallation)
            else { continue }
            let store = ObjectStore(db: db, className: className, access: access)
            // No id holds a NUL, which PostgreSQL would refuse.
            let ids = targets.map(\.objectID).filter { !$0.utf8.contains(0) }
            let isNamed = SQLText(sql: "t0.objectId \(db.dialect.isOneOf)", arguments: [SQLValue.texts(ids)])
            let objects = try store.objects(
                SQLText(sql: "SELECT \(ObjectStore.columns)") + store.selection(isNamed), &budget)
            let shown = try expanded(objects.map { $0.json() }, below, &budget)
            for var object in shown {
                object["__type"] = "Pointer"
                object["className"] = .string(name)
                guard let target = Target(object) else { continue }
                found[target] = Content(object: object, size: object.canonicalByteCount)
            }
        }
        return found
    }
}
