/// Ids that the server hands out.
package enum ObjectID {
    /// 24 hex digits, as objects have.
    package static func object() -> String {
        var generator = SystemRandomNumberGenerator()
        return object(using: &generator)
    }

    /// 16 letters and digits, as pushes have.
    package static func push() -> String {
        var generator = SystemRandomNumberGenerator()
        return text("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789", 16, &generator)
    }

    /// Whether a text may be the id of an object that a client names: up to 64 letters, digits and `_`.
    static func isPlausible(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.count <= 64 && isIdentifier("_" + text)
    }

    static func object(using generator: inout some RandomNumberGenerator) -> String {
        text("0123456789abcdef", 24, &generator)
    }

    /// `count` characters of an ASCII alphabet.
    static func text(_ alphabet: String, _ count: Int, _ generator: inout some RandomNumberGenerator) -> String {
        let letters = Array(alphabet.utf8)
        let bytes = (0..<count).map { _ in letters[Int.random(in: 0..<letters.count, using: &generator)] }
        return String(decoding: bytes, as: UTF8.self)
    }
}
