internal import Base
internal import Push

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

    /// Consumes a sign if it is next.
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

    /// Consumes a required keyword.
    mutating func expect(_ keyword: String) throws(RegistryError) {
        guard takes(keyword) else { throw refusal("\(shown) found where '\(keyword)' is expected") }
    }

    /// Consumes a required sign.
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
