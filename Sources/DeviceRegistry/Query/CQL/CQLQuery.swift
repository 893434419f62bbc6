package import JSONValue
package import PushModel

/// A query in LeanCloud's SQL-like language, as a `where` and what stands beside one.
///
/// A `select` from one class is translated, with the conditions that `where` has too; everything else is refused with
/// what to write instead. Source: <doc:/PushModel/LeanCloudObjects#CQL>.
package struct CQLQuery: Hashable, Sendable {
    /// The class that is asked.
    package internal(set) var className = ""
    /// The fields to show; empty: all.
    package internal(set) var keys: [String] = []
    /// The condition.
    package internal(set) var condition: JSONValue = [:]
    /// How many objects are answered at most, as far as it says.
    package internal(set) var limit: Int?
    /// How many are left out before them.
    package internal(set) var skip = 0
    /// Fields to sort by; a leading `-` sorts downwards.
    package internal(set) var order: [String] = []

    /// A text may have this many bytes. Source: <doc:/PushModel/LeanCloudObjects#CQL>.
    static let mostBytes = 4096

    init() {}

    /// Translates a text.
    ///
    /// - Parameters:
    ///   - values: what stands for the question marks, in their order.
    ///   - now: what `current_timestamp()` means.
    /// - Throws: ``RegistryError`` with code 300.
    package init(_ text: String, values: [JSONValue], at now: Instant) throws(RegistryError) {
        guard text.utf8.count <= Self.mostBytes else {
            throw RegistryError(.invalidCQL, "cql has \(Self.mostBytes) bytes at most.")
        }
        var parser = CQLParser(try CQLLexer.tokens(of: text), values: values, at: now)
        self = try parser.query()
    }

    /// The condition of a push to all devices that it selects.
    ///
    /// - Throws: ``RegistryError`` with code 300 when it selects something else, or only some of them.
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
    /// What is wrong with a text in CQL, after so many of its bytes.
    static func cql(_ problem: String, after offset: Int) -> RegistryError {
        RegistryError(
            .invalidCQL,
            "\(problem) (cql, byte \(offset + 1)). Write the condition as where instead, "
                + #"such as {"deviceType":"ios","score":{"$gt":80}}."#)
    }
}
