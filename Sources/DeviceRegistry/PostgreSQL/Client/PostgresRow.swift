internal import Base

extension SQLValue {
    /// The text form that PostgreSQL reads; nil for `NULL`.
    var spelling: String? {
        switch self {
        case .null: nil
        case .text(let text): text
        case .integer(let number): String(number)
        case .real(let number): String(number)
        case .bytes(let bytes): "\\x" + bytes.hexadecimal
        case .texts(let texts): Self.list(texts)
        case .integers(let numbers): "{" + numbers.map(String.init).joined(separator: ",") + "}"
        }
    }

    private static func list(_ texts: [String]) -> String {
        var bytes = Array("{".utf8)
        bytes.reserveCapacity(texts.reduce(2) { $0 + $1.utf8.count + 3 })
        for (index, text) in texts.enumerated() {
            if index > 0 { bytes.append(UInt8(ascii: ",")) }
            bytes.append(UInt8(ascii: "\""))
            for byte in text.utf8 {
                if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") { bytes.append(UInt8(ascii: "\\")) }
                bytes.append(byte)
            }
            bytes.append(UInt8(ascii: "\""))
        }
        bytes.append(UInt8(ascii: "}"))
        return String(decoding: bytes, as: UTF8.self)
    }
}

/// One row of a result.
package struct PostgresRow: Hashable, Sendable {
    /// The columns in order; nil for `NULL`.
    let columns: [String?]

    /// The text of a column, counted from 0; nil for `NULL`.
    package func text(_ column: Int) -> String? { columns[column] }

    /// The value of an integer column; nil for `NULL`.
    package func integer(_ column: Int) -> Int64? { columns[column].flatMap(Int64.init) }

    /// The bytes of a `bytea` column; nil for `NULL`.
    package func bytes(_ column: Int) -> [UInt8]? {
        columns[column].map { text in
            let digits = Array(text.utf8.dropFirst(2))
            func value(_ digit: UInt8) -> UInt8 { digit & 15 &+ (digit > UInt8(ascii: "9") ? 9 : 0) }
            return unsafe [UInt8](unsafeUninitializedCapacity: digits.count / 2) { bytes, count in
                for index in 0..<digits.count / 2 {
                    unsafe bytes[index] = value(digits[2 * index]) << 4 | value(digits[2 * index + 1])
                }
                count = digits.count / 2
            }
        }
    }

    /// The value of a boolean column; false for `NULL`.
    package func boolean(_ column: Int) -> Bool { columns[column] == "t" }
}

/// An error of the server or the connection to it.
///
/// Never holds the connection string, a password or a bound value.
package struct PostgresError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The kind of failure.
    package enum Kind: Hashable, Sendable {
        /// The connection string cannot be used.
        case address
        /// No connection could be made; no statement was sent.
        case unreachable
        /// The connection broke, or the server lost sight of a statement: what was in flight may or may not have run.
        case lost
        /// The statement, or the wait for a lock, took too long.
        case timeout
        /// The transaction conflicted with another and can be retried from its beginning.
        case conflict
        /// A unique value already exists.
        case duplicate
        case readOnly
        /// A value cannot be stored, such as a text that holds a NUL.
        case value
        /// Any other error from the server.
        case statement
    }

    /// The kind of failure.
    package let kind: Kind
    /// The server's five-character SQLSTATE, such as `40001`; nil when the error is not from the server.
    ///
    /// Source: PostgreSQL's manual, appendix A.
    package let sqlState: String?
    /// The message, one sentence.
    package let description: String

    init(_ kind: Kind, _ description: String) {
        self.kind = kind
        sqlState = nil
        self.description = description
    }

    /// Creates an error from the server's response to a statement.
    ///
    /// `message` is the primary message; the detail, which may hold tokens, is not used.
    init(sqlState: String, message: String) {
        self.sqlState = sqlState
        kind = Self.kind(of: sqlState)
        // Messages about data quote the data.
        let isAboutData = sqlState.hasPrefix("22") || sqlState.hasPrefix("23")
        description =
            isAboutData ? "the server refused a value (SQLSTATE \(sqlState))" : "\(message) (SQLSTATE \(sqlState))"
    }

    /// True if the statement itself took too long, rather than its wait for a lock, or somebody ended it.
    var isOfStatementTime: Bool { sqlState == "57014" }

    /// True if the server does not have a prepared statement.
    var isForgotten: Bool { sqlState == "26000" }

    /// True if the server's disk is full.
    package var isForLackOfRoom: Bool { sqlState == "53100" }

    private static func kind(of state: String) -> Kind {
        switch state {
        case "40001", "40P01", "26000": .conflict
        case "23505": .duplicate
        case "25006": .readOnly
        case "57014", "55P03": .timeout
        // The server does not know whether the statement, which may be a COMMIT, was completed.
        case "40003": .lost
        // The last two end a session that was idle for long.
        case "57P01", "57P02", "57P03", "25P03", "57P05": .lost
        case _ where state.hasPrefix("08"): .lost
        case _ where state.hasPrefix("22"): .value
        default: .statement
        }
    }
}
