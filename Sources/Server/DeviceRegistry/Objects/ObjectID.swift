/// Generates the server's ids.
package enum ObjectID {
    /// 24 hex digits, for objects.
    package static func object() -> String {
        var generator = SystemRandomNumberGenerator()
        return object(using: &generator)
    }

    /// 16 letters and digits, for pushes.
    package static func push() -> String {
        var generator = SystemRandomNumberGenerator()
        return text("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789", 16, &generator)
    }

    /// True if a client may use the text as an object's id: up to 64 letters, digits and `_`.
    static func isPlausible(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.count <= 64 && isIdentifier("_" + text)
    }

    static func object(using generator: inout some RandomNumberGenerator) -> String {
        text("0123456789abcdef", 24, &generator)
    }

    /// `count` random characters of an ASCII alphabet.
    static func text(_ alphabet: String, _ count: Int, _ generator: inout some RandomNumberGenerator) -> String {
        let letters = Array(alphabet.utf8)
        let bytes = (0..<count).map { _ in letters[Int.random(in: 0..<letters.count, using: &generator)] }
        return String(decoding: bytes, as: UTF8.self)
    }
}
