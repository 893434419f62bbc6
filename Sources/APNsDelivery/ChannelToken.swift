/// The id of a broadcast channel as the journal holds it, which holds hexadecimal tokens only.
enum ChannelToken {
    /// The hexadecimal digits of the id's UTF-8.
    static func token(of channelID: String) -> String {
        channelID.utf8.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }

    /// The id again; nil when it was none.
    static func channelID(of token: String) -> String? {
        let digits = token.utf8.compactMap { Character(Unicode.Scalar($0)).hexDigitValue }
        guard digits.count == token.utf8.count, digits.count % 2 == 0 else { return nil }
        return String(
            validating: stride(from: 0, to: digits.count, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) },
            as: UTF8.self)
    }
}
