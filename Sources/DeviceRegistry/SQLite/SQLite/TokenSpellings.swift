internal import GRDB

/// Identifies devices whose tokens differ only in the case of their digits: they are one device, and of its spellings
/// the lower-case one counts, else the upper-case one, else the first.
struct TokenSpellings {
    let db: Database
    /// The mixed-case tokens seen so far; there are never many.
    private var mixed: Set<[UInt8]> = []

    init(db: Database) {
        self.db = db
    }

    /// True if this spelling of a token is the one that counts.
    mutating func isOne(_ token: [UInt8], _ row: Int64) throws -> Bool {
        // Bit 5 distinguishes the cases of a letter, and is set in digits.
        guard token.withUnsafeBufferPointer({ $0.contains { $0 & 0x20 == 0 } }), TargetPack.isToken(token) else {
            return true
        }
        let lower = token.map { $0 | 0x20 }
        if try isRegistered(lower, besides: row) { return false }
        guard token.contains(where: { $0 >= UInt8(ascii: "a") }) else { return true }
        let upper = lower.map { $0 >= UInt8(ascii: "a") ? $0 & 0xDF : $0 }
        return try !isRegistered(upper, besides: row) && mixed.insert(lower).inserted
    }

    private func isRegistered(_ token: [UInt8], besides row: Int64) throws -> Bool {
        try Bool.fetchOne(
            db.cachedStatement(sql: "SELECT 1 FROM installation WHERE deviceToken = ? AND id <> ?"),
            arguments: [String(decoding: token, as: UTF8.self), row]) ?? false
    }
}
