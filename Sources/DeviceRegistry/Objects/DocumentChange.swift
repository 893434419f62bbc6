package import Base
internal import Push

/// Fields on their way into an object: plain values replace, `__op` values modify existing ones.
///
/// Source: docs/background/leancloud/objects.md#write-operators.
package struct DocumentChange {
    /// The fields so far.
    package private(set) var fields: JSONObject
    /// The keys that were written.
    package private(set) var changedKeys: Set<String> = []
    /// The changes to the object's relations.
    package private(set) var relations: [RelationChange] = []

    /// A pointer that is added to or removed from a relation.
    package struct RelationChange: Hashable {
        /// The relation's field.
        package let key: String
        /// The class of the pointer's target.
        package let target: ClassName
        /// The id of the target object.
        package let targetID: String
        /// `false` when the pointer is removed.
        package let isAdded: Bool
    }

    /// The maximum number of fields of an object.
    package static let mostFields = 300
    /// The maximum number of operations in a `Batch`. The server's own limit: the SDKs merge what they can.
    static let mostOperations = 100

    /// The deadline for computing the change.
    private let end: ContinuousClock.Instant?

    /// Starts with the object's current fields; empty for a new object.
    package init(_ fields: JSONObject = [:], until end: ContinuousClock.Instant? = nil) {
        self.fields = fields
        self.end = end
    }

    /// Applies the members of a request's body.
    ///
    /// The server's own fields, and names that begin with `__`, are ignored: several SDKs send the whole object back.
    ///
    /// - Throws: ``RegistryError`` with code 105, 106, 111, 124 or 302.
    package mutating func apply(_ members: JSONObject) throws(RegistryError) {
        for (key, value) in members where !Self.reserved.contains(key) && !key.hasPrefix("__") {
            guard isIdentifier(key), key.utf8.count <= 128 else {
                throw RegistryError(.invalidKey, "Invalid key name: '\(key.prefix(64))'.")
            }
            try set(key, value)
            changedKeys.insert(key)
        }
        guard fields.count <= Self.mostFields else {
            throw RegistryError(.invalidKey, "An object has \(Self.mostFields) fields at most.")
        }
        // Source: docs/background/leancloud/objects.md#typed-values.
        guard fields.values.lazy.filter({ $0["__type"] == "GeoPoint" }).count <= 1 else {
            throw RegistryError(.invalidGeoPoint, "An object has one GeoPoint at most.")
        }
        if let acl = fields["ACL"], acl.object == nil {
            throw RegistryError(.incorrectType, "ACL is an object.")
        }
    }

    /// Sets a field that has no value.
    package mutating func setDefault(_ key: String, _ value: JSONValue) {
        if fields[key] == nil { fields[key] = value }
    }

    private static let reserved: Set<String> = ["objectId", "createdAt", "updatedAt", "className"]

    private mutating func set(_ key: String, _ value: JSONValue) throws(RegistryError) {
        guard let operation = value["__op"] else {
            fields[key] = try Self.normalized(value)
            return
        }
        guard let name = operation.string, let known = FieldOperation(rawValue: name) else {
            throw RegistryError(.incorrectType, "Unknown __op of '\(key)'.")
        }
        switch known {
        case .batch:
            guard let steps = value["ops"]?.array else { throw RegistryError(.incorrectType, "Batch takes ops.") }
            guard steps.count <= Self.mostOperations else {
                throw RegistryError(.incorrectType, "A Batch has \(Self.mostOperations) ops at most.")
            }
            for step in steps {
                guard step["__op"] != "Batch" else {
                    throw RegistryError(.incorrectType, "A Batch holds no other.")
                }
                // Each operation may read a whole list.
                try end?.check()
                try set(key, step)
            }
        case .addRelation, .removeRelation: try relate(key, value, isAdded: known == .addRelation)
        case .add, .addUnique, .remove, .increment, .decrement, .delete, .bitAnd, .bitOr, .bitXor:
            fields[key] = try known.result(on: fields[key], key: key, arguments: value)
        }
    }

    private mutating func relate(_ key: String, _ value: JSONValue, isAdded: Bool) throws(RegistryError) {
        guard let pointers = value["objects"]?.array else {
            throw RegistryError(.incorrectType, "AddRelation and RemoveRelation take objects.")
        }
        for pointer in pointers {
            let (target, targetID) = try TypedValue.pointer(pointer.object ?? [:])
            relations.append(RelationChange(key: key, target: target, targetID: targetID, isAdded: isAdded))
            fields[key] = ["__type": "Relation", "className": .string(target.name)]
        }
    }

    /// Returns the value with dates in one spelling and checked geo points, at any depth.
    static func normalized(_ value: JSONValue) throws(RegistryError) -> JSONValue {
        switch value {
        case .null, .bool, .integer, .number, .string: return value
        case .array(let elements):
            var result: [JSONValue] = []
            result.reserveCapacity(elements.count)
            for element in elements { result.append(try normalized(element)) }
            return .array(result)
        case .object(let members):
            switch members["__type"]?.string {
            case "Date": return try Instant(typed: members).typed
            case "GeoPoint":
                _ = try GeoPoint(value)
                return value
            case "Pointer":
                _ = try TypedValue.pointer(members)
                return value
            default:
                var result: JSONObject = [:]
                for (key, member) in members { result[key] = try normalized(member) }
                return .object(result)
            }
        }
    }
}

/// A document that was checked and serialized outside the queue of changes: only storing it is left.
package struct DocumentDraft: Sendable {
    package let fields: JSONObject
    /// The text to store.
    package let text: String
    /// The keys that were written.
    package let changedKeys: Set<String>
    /// The changes to the object's relations.
    package let relations: [DocumentChange.RelationChange]

    /// The maximum size of an object in bytes. Source: docs/background/leancloud/errors.md#codes.
    package static let mostBytes = 16 * 1024 * 1024
    /// The maximum size of a device in bytes: every push and every condition reads it. The server's own limit.
    static let mostBytesOfDevice = 128 * 1024

    /// Checks a change and serializes its document.
    ///
    /// - Throws: ``RegistryError`` with code 116, or the error of a violated rule of the class.
    package init(_ change: DocumentChange, in className: ClassName) throws(RegistryError) {
        fields = className.isInstallation ? try InstallationRules.checked(change.fields) : change.fields
        if className == .user { try UserRules.check(fields) }
        text = JSONValue.object(fields).canonicalText
        try Self.checkSize(text.utf8.count, in: className)
        (changedKeys, relations) = (change.changedKeys, change.relations)
    }

    /// Rejects a document, or a change to one, that is too large for its class.
    ///
    /// - Throws: ``RegistryError`` with code 116.
    package static func checkSize(_ bytes: Int, in className: ClassName) throws(RegistryError) {
        if className.isInstallation, bytes > mostBytesOfDevice {
            throw RegistryError(
                .objectTooLarge, "The object is too large. (\(mostBytesOfDevice >> 10) kB for a device)")
        }
        if bytes > mostBytes {
            throw RegistryError(.objectTooLarge, "The object is too large. (\(mostBytes >> 20) MB)")
        }
    }
}

extension ContinuousClock.Instant {
    /// Throws after the deadline.
    ///
    /// - Throws: ``RegistryError`` with code 124.
    package func check() throws(RegistryError) {
        guard .now < self else { throw RegistryError.late }
    }
}

/// The operations that a write may contain in place of values.
///
/// Source: docs/background/leancloud/objects.md#write-operators.
enum FieldOperation: String, CaseIterable {
    case add = "Add"
    case addUnique = "AddUnique"
    case remove = "Remove"
    case increment = "Increment"
    case decrement = "Decrement"
    case delete = "Delete"
    case bitAnd = "BitAnd"
    case bitOr = "BitOr"
    case bitXor = "BitXor"
    case addRelation = "AddRelation"
    case removeRelation = "RemoveRelation"
    case batch = "Batch"

    /// Returns the field's new value; `nil` removes the field.
    ///
    /// Elements of lists are equal when their texts are: that way untrusted elements cannot be made to collide in a
    /// set.
    ///
    /// - Throws: ``RegistryError`` with code 111 when the field or the argument has another type.
    func result(on old: JSONValue?, key: String, arguments: JSONValue) throws(RegistryError) -> JSONValue? {
        switch self {
        case .add: return .array(try elements(old, key) + (try objects(arguments)))
        case .addUnique:
            let list = try elements(old, key)
            var known = Set(list.map(\.canonicalBytes))
            return .array(list + (try objects(arguments)).filter { known.insert($0.canonicalBytes).inserted })
        case .remove:
            let removed = Set(try objects(arguments).map(\.canonicalBytes))
            return .array(try elements(old, key).filter { !removed.contains($0.canonicalBytes) })
        case .increment: return try sum(old, key, arguments["amount"] ?? 1, sign: 1)
        case .decrement: return try sum(old, key, arguments["amount"] ?? 1, sign: -1)
        case .delete: return nil
        case .bitAnd: return try bits(old, key, arguments) { $0 & $1 }
        case .bitOr: return try bits(old, key, arguments) { $0 | $1 }
        case .bitXor: return try bits(old, key, arguments) { $0 ^ $1 }
        case .addRelation, .removeRelation, .batch: return old
        }
    }

    private func elements(_ old: JSONValue?, _ key: String) throws(RegistryError) -> [JSONValue] {
        guard let old, !old.isNull else { return [] }
        guard let list = old.array else { throw RegistryError(.incorrectType, "'\(key)' is no list.") }
        return list
    }

    private func objects(_ arguments: JSONValue) throws(RegistryError) -> [JSONValue] {
        guard let objects = arguments["objects"]?.array else {
            throw RegistryError(.incorrectType, "\(rawValue) takes objects.")
        }
        var result: [JSONValue] = []
        for object in objects { result.append(try DocumentChange.normalized(object)) }
        return result
    }

    private func sum(
        _ old: JSONValue?, _ key: String, _ amount: JSONValue, sign: Int64
    ) throws(RegistryError) -> JSONValue {
        let base = old.map { $0.isNull ? 0 : $0 } ?? 0
        if let left = base.integer, let right = amount.integer {
            let (product, _) = right.multipliedReportingOverflow(by: sign)
            let (total, overflows) = left.addingReportingOverflow(product)
            if !overflows { return .integer(total) }
        }
        guard let left = base.double, let right = amount.double else {
            throw RegistryError(.incorrectType, "\(rawValue) of '\(key)' needs numbers.")
        }
        return .number(left + Double(sign) * right)
    }

    private func bits(
        _ old: JSONValue?, _ key: String, _ arguments: JSONValue, _ combine: (Int64, Int64) -> Int64
    ) throws(RegistryError) -> JSONValue {
        guard let left = (old ?? 0).integer, let right = arguments["value"]?.integer else {
            throw RegistryError(.incorrectType, "\(rawValue) of '\(key)' needs whole numbers.")
        }
        return .integer(combine(left, right))
    }
}
