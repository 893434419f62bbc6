/// Why the server, or the way to it, failed.
///
/// Never holds the connection string, a password or a bound value.
package struct PostgresError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The kind of failure.
    package enum Kind: Hashable, Sendable {
        /// The connection string cannot be used.
        case address
        /// No connection came about; nothing was asked.
        case unreachable
        /// The connection broke: what was under way may have happened or not.
        case lost
        /// The statement, or the wait for a lock, took too long.
        case timeout
        /// The transaction collided with another and can be tried again from its beginning.
        case conflict
        /// A unique value is taken.
        case duplicate
        /// The session may only read.
        case readOnly
        /// A value cannot be stored, such as a text that holds a NUL.
        case value
        /// Anything else that the server said.
        case statement
    }

    /// The kind of failure.
    package let kind: Kind
    /// The server's five characters for it, such as `40001`; nil when it did not speak.
    ///
    /// Source: PostgreSQL's manual, appendix A.
    package let sqlState: String?
    /// One sentence.
    package let description: String

    init(_ kind: Kind, _ description: String) {
        self.kind = kind
        sqlState = nil
        self.description = description
    }

    /// What the server said of a statement.
    ///
    /// - Parameter message: its primary message; the detail, which may hold tokens, is not taken.
    init(sqlState: String, message: String) {
        self.sqlState = sqlState
        kind = Self.kind(of: sqlState)
        // Messages about data quote it.
        let isAboutData = sqlState.hasPrefix("22") || sqlState.hasPrefix("23")
        description =
            isAboutData ? "the server refused a value (SQLSTATE \(sqlState))" : "\(message) (SQLSTATE \(sqlState))"
    }

    private static func kind(of state: String) -> Kind {
        switch state {
        case "40001", "40P01", "40003": .conflict
        case "23505": .duplicate
        case "25006": .readOnly
        case "57014", "55P03", "25P03", "57P05": .timeout
        case "57P01", "57P02", "57P03": .lost
        case _ where state.hasPrefix("08"): .lost
        case _ where state.hasPrefix("22"): .value
        default: .statement
        }
    }
}
