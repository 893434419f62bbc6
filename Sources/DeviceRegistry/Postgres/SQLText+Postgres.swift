internal import PostgresClient

extension SQLText {
    /// The same for PostgreSQL: its `?` are `$1`, `$2`, ….
    var numbered: String {
        var text = ""
        var number = 0
        for part in sql.split(separator: "?", omittingEmptySubsequences: false) {
            if number > 0 { text += "$\(number)" }
            text += part
            number += 1
        }
        return text
    }
}

extension PostgresSession {
    /// The rows of a statement, all in memory.
    func rows(_ text: SQLText) throws(PostgresError) -> [PostgresRow] {
        try rows(text.numbered, text.values.map(\.postgresValue))
    }

    /// Runs a statement; how many rows it wrote.
    @discardableResult
    func execute(_ text: SQLText) throws(PostgresError) -> Int {
        try execute(text.numbered, text.values.map(\.postgresValue))
    }
}

extension SQLValue {
    /// The same for PostgreSQL.
    var postgresValue: PostgresValue {
        switch self {
        case .text(let text): .text(text)
        case .integer(let number): .integer(number)
        case .real(let number): .real(number)
        case .bytes(let bytes): .text(String(decoding: bytes, as: UTF8.self))
        case .texts(let texts): .texts(texts)
        }
    }
}
