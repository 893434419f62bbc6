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
