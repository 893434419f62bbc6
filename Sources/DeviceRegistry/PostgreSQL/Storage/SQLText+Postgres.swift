extension String {
    /// The SQL for PostgreSQL, with its `?` numbered `$1`, `$2`, ….
    var numbered: String {
        var (bytes, number): ([UInt8], Int) = ([], 0)
        for byte in utf8 {
            guard byte == UInt8(ascii: "?") else {
                bytes.append(byte)
                continue
            }
            number += 1
            bytes += "$\(number)".utf8
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}

extension PostgresSession {
    /// Returns the rows of a statement, all in memory.
    func rows(_ text: SQLText) throws(PostgresError) -> [PostgresRow] {
        try rows(text.sql.numbered, text.values.map(\.postgresValue))
    }

    /// Runs a statement; returns the number of written rows.
    @discardableResult
    func execute(_ text: SQLText) throws(PostgresError) -> Int {
        try execute(text.sql.numbered, text.values.map(\.postgresValue))
    }
}

extension SQLValue {
    /// The value for PostgreSQL.
    var postgresValue: PostgresValue {
        switch self {
        case .null: .null
        case .text(let text): .text(text)
        case .integer(let number): .integer(number)
        case .real(let number): .real(number)
        case .bytes(let bytes): .bytes(bytes)
        case .texts(let texts): .texts(texts)
        case .integers(let numbers): .integers(numbers)
        }
    }
}
