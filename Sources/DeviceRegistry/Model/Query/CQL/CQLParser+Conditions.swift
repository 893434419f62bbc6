internal import Base
internal import Push

extension CQLParser {
    /// The maximum nesting depth of brackets.
    private static let deepestNesting = 16

    /// Parses conditions joined by `or`.
    mutating func anyOf() throws(RegistryError) -> JSONValue {
        var conditions = [try allOf()]
        while takes("or") { conditions.append(try allOf()) }
        return conditions.count == 1 ? conditions[0] : ["$or": .array(conditions)]
    }

    /// Parses conditions joined by `and`, which binds tighter.
    private mutating func allOf() throws(RegistryError) -> JSONValue {
        var conditions = [try condition()]
        while takes("and") { conditions.append(try condition()) }
        var members: JSONObject = [:]
        for (key, value) in conditions.lazy.flatMap({ $0.object ?? [:] }) {
            guard members[key] == nil else { return ["$and": .array(conditions)] }
            members[key] = value
        }
        return .object(members)
    }

    private mutating func condition() throws(RegistryError) -> JSONValue {
        if takes("not") {
            throw refusal("'not' goes before 'in', and after 'is' before 'exists' and 'null'", before: true)
        }
        guard takes(sign: "(") else { return try test() }
        guard depth < Self.deepestNesting else {
            throw refusal("Brackets nest \(Self.deepestNesting) deep at most", before: true)
        }
        depth += 1
        defer { depth -= 1 }
        let inner = try anyOf()
        try expect(sign: ")")
        return inner
    }

    private mutating func test() throws(RegistryError) -> JSONValue {
        let field = try name()
        if field.lowercased() == "size", takes(sign: "(") {
            let list = try name()
            try expect(sign: ")")
            try expect(sign: "=")
            return [list: ["$size": try value()]]
        }
        switch take() {
        case .sign("="): return [field: try value()]
        case .sign("!="), .sign("<>"): return [field: ["$ne": try value()]]
        case .sign("<"): return [field: ["$lt": try value()]]
        case .sign("<="): return [field: ["$lte": try value()]]
        case .sign(">"): return [field: ["$gt": try value()]]
        case .sign(">="): return [field: ["$gte": try value()]]
        case .word(let word):
            switch word.lowercased() {
            case "in": return [field: ["$in": try list()]]
            case "not" where takes("in"): return [field: ["$nin": try list()]]
            case "like": return [field: try pattern()]
            case "is": return [field: try presence()]
            default: break
            }
        default: break
        }
        throw refusal("A field is followed by =, !=, <, <=, >, >=, in, not in, like or is", before: true)
    }

    /// Parses the condition after `is`.
    private mutating func presence() throws(RegistryError) -> JSONValue {
        let isNegated = takes("not")
        if takes("exists") { return ["$exists": .bool(!isNegated)] }
        try expect("null")
        return isNegated ? ["$ne": .null] : .null
    }

    private mutating func list() throws(RegistryError) -> JSONValue {
        try expect(sign: "(")
        var values: [JSONValue] = []
        repeat {
            if takes("select") { throw refusal("A query within a query is written with $inQuery", before: true) }
            values.append(try value())
        } while takes(sign: ",")
        try expect(sign: ")")
        return .array(values)
    }

    /// Parses a string in which `%` matches any characters.
    ///
    /// LeanCloud treats the rest as a regular expression. A string with other metacharacters would match different
    /// devices here, so it is rejected; `.` stands for itself.
    private mutating func pattern() throws(RegistryError) -> JSONValue {
        guard let text = try value().string else { throw refusal("like takes a text", before: true) }
        guard !text.contains(where: { #"_[]{}()*+?^$|\"#.contains($0) }) else {
            throw refusal("In a text of like only % has a meaning: write other patterns with $regex", before: true)
        }
        let parts = text.split(separator: "%", omittingEmptySubsequences: false)
        guard parts.count > 1, let first = parts.first, let last = parts.last else { return .string(text) }
        let pattern = parts.map { $0.isEmpty ? "" : #"\Q\#($0)\E"# }.joined(separator: ".*")
        return [
            "$regex": .string((first.isEmpty ? "" : "^") + pattern + (last.isEmpty ? "" : #"\z"#)), "$options": "s",
        ]
    }

    /// Parses a value: a string, a number, `true`, `false`, `null`, `?` or a function call.
    mutating func value() throws(RegistryError) -> JSONValue {
        switch take() {
        case .text(let text): return .string(text)
        case .number(let number): return number
        case .sign("?"): return try nextValue()
        case .word(let word):
            switch word.lowercased() {
            case "true": return true
            case "false": return false
            case "null": return .null
            case let name where takes(sign: "("): return try made(by: name)
            default: break
            }
        default: break
        }
        throw refusal("A value is a text in quotes, a number, true, false, null or ?", before: true)
    }

    private mutating func made(by function: String) throws(RegistryError) -> JSONValue {
        var arguments: [String] = []
        if !takes(sign: ")") {
            repeat {
                guard let argument = try value().string else {
                    throw refusal("'\(function)' takes texts", before: true)
                }
                arguments.append(argument)
            } while takes(sign: ",")
            try expect(sign: ")")
        }
        switch (function, arguments.count) {
        case ("date", 1):
            guard let time = Instant(iso: arguments[0]) else {
                throw refusal("date takes a time such as '2011-08-20T02:06:57.931Z'", before: true)
            }
            return ["__type": "Date", "iso": .string(time.isoText)]
        case ("current_timestamp", 0): return ["__type": "Date", "iso": .string(now.isoText)]
        case ("pointer", 2):
            return ["__type": "Pointer", "className": .string(arguments[0]), "objectId": .string(arguments[1])]
        default: throw refusal("'\(function.prefix(32))' is not understood", before: true)
        }
    }
}
