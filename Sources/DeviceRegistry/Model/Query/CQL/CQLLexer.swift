internal import Base

/// A token of CQL: a word, value or sign.
struct CQLToken: Hashable {
    /// The kinds of tokens.
    enum Kind: Hashable {
        /// A keyword, or the name of a class, field or function.
        case word(String)
        /// A quoted string.
        case text(String)
        /// A number.
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
        if Self.isLetter(byte) {
            kind = .word(take { Self.isLetter($0) || Self.isDigit($0) || $0 == UInt8(ascii: ".") })
        } else if Self.isDigit(byte) || (Self.isSign(byte) && peek(1).map(Self.isDigit) == true) {
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
        let digits = take { Self.isDigit($0) || Self.isLetter($0) || Self.isSign($0) || $0 == UInt8(ascii: ".") }
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

    private static func isLetter(_ byte: UInt8) -> Bool {
        (byte | 0x20) &- UInt8(ascii: "a") < 26 || byte == UInt8(ascii: "_")
    }

    private static func isDigit(_ byte: UInt8) -> Bool { byte &- UInt8(ascii: "0") < 10 }

    private static func isSign(_ byte: UInt8) -> Bool { byte == UInt8(ascii: "+") || byte == UInt8(ascii: "-") }
}
