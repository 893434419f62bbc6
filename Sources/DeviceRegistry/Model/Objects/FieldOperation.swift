internal import Base

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
