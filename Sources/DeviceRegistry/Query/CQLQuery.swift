package import Base
package import Push

/// A query in LeanCloud's SQL-like language, as a `where` and its options.
///
/// A `select` from one class is translated, with the conditions that `where` also has; everything else is rejected with
/// a hint on what to write instead. Source: docs/background/leancloud/objects.md#cql.
package struct CQLQuery: Hashable, Sendable {
    /// The class to query.
    package internal(set) var className = ""
    /// The fields to return; empty for all.
    package internal(set) var keys: [String] = []
    /// The condition.
    package internal(set) var condition: JSONValue = [:]
    /// The maximum number of objects, if given.
    package internal(set) var limit: Int?
    /// The number of objects to skip.
    package internal(set) var skip = 0
    /// The fields to sort by; a leading `-` sorts in descending order.
    package internal(set) var order: [String] = []

    /// The maximum length of a text in bytes. Source: docs/background/leancloud/objects.md#cql.
    static let mostBytes = 4096

    init() {}

    /// Translates a text; `values` replace its question marks in order, and `now` is its `current_timestamp()`.
    ///
    /// - Throws: ``RegistryError`` with code 300.
    package init(_ text: String, values: [JSONValue], at now: Instant) throws(RegistryError) {
        guard text.utf8.count <= Self.mostBytes else {
            throw RegistryError(.invalidCQL, "cql has \(Self.mostBytes) bytes at most.")
        }
        var parser = CQLParser(try CQLLexer.tokens(of: text), values: values, at: now)
        self = try parser.query()
    }

    /// Returns the condition for a push to all selected devices.
    ///
    /// - Throws: ``RegistryError`` with code 300 when it selects from another class, or only some of the devices.
    package func audience() throws(RegistryError) -> JSONValue {
        guard className == ClassName.installation.name else {
            throw RegistryError(.invalidCQL, "The cql of a push selects from _Installation.")
        }
        guard limit == nil else {
            throw RegistryError(.invalidCQL, "A push reaches every device that fits: leave limit out of its cql.")
        }
        return condition
    }
}

extension RegistryError {
    /// Creates an error at a byte offset of CQL.
    static func cql(_ problem: String, after offset: Int) -> RegistryError {
        RegistryError(
            .invalidCQL,
            "\(problem) (cql, byte \(offset + 1)). Write the condition as where instead, "
                + #"such as {"deviceType":"ios","score":{"$gt":80}}."#)
    }
}

/// Parses the tokens of CQL, each once.
///
/// `select names|* from class [where condition] [limit [skip,] number] [order by names [asc|desc]]`.
struct CQLParser {
    private let tokens: [CQLToken]
    private let values: [JSONValue]
    private var index = 0
    private var usedValues = 0
    /// The number of open brackets.
    var depth = 0
    let now: Instant

    init(_ tokens: [CQLToken], values: [JSONValue], at now: Instant) {
        self.tokens = tokens
        self.values = values
        self.now = now
    }

    /// Parses the whole text.
    ///
    /// - Throws: ``RegistryError`` with code 300.
    mutating func query() throws(RegistryError) -> CQLQuery {
        var query = CQLQuery()
        guard takes("select") else { throw refusal("CQL is translated where it is a select") }
        query.keys = try columns()
        try expect("from")
        query.className = try name()
        if takes("where") { query.condition = try anyOf() }
        // LeanCloud wants `order` last, SQL wants `limit` last.
        for _ in 0..<2 {
            if query.limit == nil, takes("limit") { (query.skip, query.limit) = try limit() }
            if query.order.isEmpty, takes("order") { query.order = try order() }
        }
        _ = takes(sign: ";")
        guard index == tokens.count else { throw refusal("\(shown) is not understood") }
        guard usedValues == values.count else {
            throw RegistryError(.invalidCQL, "pvalues has \(values.count) values, the cql takes \(usedValues).")
        }
        return query
    }

    private mutating func columns() throws(RegistryError) -> [String] {
        var columns: [String] = []
        var areAll = false
        repeat {
            if takes(sign: "*") { areAll = true } else { columns.append(try name()) }
        } while takes(sign: ",")
        return areAll ? [] : columns
    }

    private mutating func limit() throws(RegistryError) -> (skip: Int, limit: Int) {
        let first = try count()
        return takes(sign: ",") ? (first, try count()) : (0, first)
    }

    private mutating func count() throws(RegistryError) -> Int {
        guard let count = try value().integer, let count = Int32(exactly: count), count >= 0 else {
            throw refusal("limit takes whole numbers", before: true)
        }
        return Int(count)
    }

    /// Parses the order; a name without a sign uses the direction at the end.
    private mutating func order() throws(RegistryError) -> [String] {
        try expect("by")
        var names: [(sign: String?, name: String)] = []
        repeat {
            let sign = takes(sign: "-") ? "-" : takes(sign: "+") ? "" : nil
            names.append((sign, try name()))
        } while takes(sign: ",")
        let last = takes("desc") ? "-" : ""
        if last.isEmpty { _ = takes("asc") }
        return names.map { ($0.sign ?? last) + $0.name }
    }

    // MARK: Tokens

    /// Returns the value for the next question mark.
    mutating func nextValue() throws(RegistryError) -> JSONValue {
        guard usedValues < values.count else { throw refusal("pvalues has no value for '?'", before: true) }
        let value = values[usedValues]
        usedValues += 1
        // An operator would change the condition as written.
        guard value.object?.keys.contains(where: { $0.hasPrefix("$") }) != true else {
            throw refusal("A value of pvalues is no condition", before: true)
        }
        return value
    }

    /// Consumes a keyword, case-insensitively, if it is next.
    mutating func takes(_ keyword: String) -> Bool {
        guard case .word(let word)? = current?.kind, word.lowercased() == keyword else { return false }
        index += 1
        return true
    }

    mutating func takes(sign: String) -> Bool {
        guard current?.kind == .sign(sign) else { return false }
        index += 1
        return true
    }

    /// Consumes any token; nil at the end.
    mutating func take() -> CQLToken.Kind? {
        defer { index += 1 }
        return current?.kind
    }

    mutating func expect(_ keyword: String) throws(RegistryError) {
        guard takes(keyword) else { throw refusal("\(shown) found where '\(keyword)' is expected") }
    }

    mutating func expect(sign: String) throws(RegistryError) {
        guard takes(sign: sign) else { throw refusal("\(shown) found where '\(sign)' is expected") }
    }

    /// Consumes the name of a class or field.
    mutating func name() throws(RegistryError) -> String {
        guard case .word(let word)? = current?.kind, !Self.keywords.contains(word.lowercased()) else {
            throw refusal("\(shown) found where a name is expected")
        }
        index += 1
        return word
    }

    /// Creates an error at the next token, or at the one before it.
    func refusal(_ problem: String, before: Bool = false) -> RegistryError {
        let place = before ? index - 1 : index
        let offset = tokens.indices.contains(place) ? tokens[place].offset : tokens.last?.offset ?? 0
        return RegistryError.cql(problem, after: offset)
    }

    /// The next token, for a message.
    var shown: String {
        switch current?.kind {
        case .word(let text)?, .sign(let text)?: "'\(text.prefix(32))'"
        case .text(let text)?: "the text '\(text.prefix(32))'"
        case .number(let value)?: "the number \(value.canonicalText.prefix(32))"
        case nil: "the end"
        }
    }

    private var current: CQLToken? { index < tokens.count ? tokens[index] : nil }

    private static let keywords: Set<String> = [
        "select", "from", "where", "and", "or", "not", "in", "is", "like", "limit", "order", "by", "asc", "desc",
    ]
}

// MARK: - Conditions

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
        try deepen()
        defer { depth -= 1 }
        let inner = try anyOf()
        try expect(sign: ")")
        return inner
    }

    /// Counts an open bracket, of conditions or of a function: each is a level of the stack.
    private mutating func deepen() throws(RegistryError) {
        guard depth < Self.deepestNesting else {
            throw refusal("Brackets nest \(Self.deepestNesting) deep at most", before: true)
        }
        depth += 1
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
        try deepen()
        defer { depth -= 1 }
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
            return time.typed
        case ("current_timestamp", 0): return now.typed
        case ("pointer", 2):
            return ["__type": "Pointer", "className": .string(arguments[0]), "objectId": .string(arguments[1])]
        default: throw refusal("'\(function.prefix(32))' is not understood", before: true)
        }
    }
}

/// A token of CQL: a word, value or sign.
struct CQLToken: Hashable {
    enum Kind: Hashable {
        /// A keyword, or the name of a class, field or function.
        case word(String)
        /// A quoted string.
        case text(String)
        case number(JSONValue)
        /// A comparison, a bracket or another sign.
        case sign(String)
    }

    let kind: Kind
    /// The byte offset of the token.
    let offset: Int
}

/// Splits CQL into tokens, in one pass.
struct CQLLexer {
    private let bytes: [UInt8]
    private var place = 0

    private init(_ text: String) {
        bytes = Array(text.utf8)
    }

    /// Returns the tokens of a text.
    ///
    /// - Throws: ``RegistryError`` with code 300.
    static func tokens(of text: String) throws(RegistryError) -> [CQLToken] {
        var lexer = CQLLexer(text)
        var tokens: [CQLToken] = []
        while let token = try lexer.next() { tokens.append(token) }
        return tokens
    }

    private mutating func next() throws(RegistryError) -> CQLToken? {
        while let byte = peek(), byte == 0x20 || (0x09...0x0D).contains(byte) { place += 1 }
        guard let byte = peek() else { return nil }
        let start = place
        let kind: CQLToken.Kind
        if Self.isWord(byte) {
            kind = .word(take { Self.isWord($0) || $0.isDigit || $0 == UInt8(ascii: ".") })
        } else if byte.isDigit || (Self.isSign(byte) && peek(1)?.isDigit == true) {
            kind = try number()
        } else if byte == UInt8(ascii: "'") || byte == UInt8(ascii: "\"") {
            kind = try text(quote: byte)
        } else {
            kind = try sign()
        }
        return CQLToken(kind: kind, offset: start)
    }

    private mutating func number() throws(RegistryError) -> CQLToken.Kind {
        let start = place
        if peek() == UInt8(ascii: "+") { place += 1 }
        // The signs of an exponent belong to the number; they are never subtraction, since CQL has no arithmetic.
        let digits = take { $0.isDigit || Self.isWord($0) || Self.isSign($0) || $0 == UInt8(ascii: ".") }
        guard let value = try? JSONValue(parsing: digits, limits: .anyMemory), value.double != nil else {
            throw RegistryError.cql("'\(digits.prefix(32))' is no number", after: start)
        }
        return .number(value)
    }

    /// Reads a string. A quote within it is doubled or escaped with a backslash, and so is a backslash.
    private mutating func text(quote: UInt8) throws(RegistryError) -> CQLToken.Kind {
        let start = place
        var content: [UInt8] = []
        place += 1
        while let byte = peek() {
            place += 1
            switch byte {
            case UInt8(ascii: "\\"):
                guard let escaped = peek(), [UInt8(ascii: "'"), UInt8(ascii: "\""), byte].contains(escaped) else {
                    throw RegistryError.cql("A backslash must precede a quote or a backslash", after: place - 1)
                }
                content.append(escaped)
                place += 1
            case quote:
                guard peek() == quote else { return .text(String(decoding: content, as: UTF8.self)) }
                content.append(quote)
                place += 1
            default: content.append(byte)
            }
        }
        throw RegistryError.cql("A text has no end", after: start)
    }

    private mutating func sign() throws(RegistryError) -> CQLToken.Kind {
        let two = String(decoding: bytes[place..<min(place + 2, bytes.count)], as: UTF8.self)
        if ["!=", "<>", "<=", ">="].contains(two) {
            place += 2
            return .sign(two)
        }
        let one = String(decoding: [bytes[place]], as: UTF8.self)
        guard "()=<>,*?;+-".contains(one) else {
            let rest = String(decoding: bytes[place...], as: UTF8.self)
            throw RegistryError.cql("'\(rest.prefix(1))' is not understood", after: place)
        }
        place += 1
        return .sign(one)
    }

    private func peek(_ distance: Int = 0) -> UInt8? {
        place + distance < bytes.count ? bytes[place + distance] : nil
    }

    private mutating func take(while belongs: (UInt8) -> Bool) -> String {
        let start = place
        while let byte = peek(), belongs(byte) { place += 1 }
        return String(decoding: bytes[start..<place], as: UTF8.self)
    }

    private static func isWord(_ byte: UInt8) -> Bool { byte.isLetter || byte == UInt8(ascii: "_") }

    private static func isSign(_ byte: UInt8) -> Bool { byte == UInt8(ascii: "+") || byte == UInt8(ascii: "-") }
}
