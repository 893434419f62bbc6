internal import JSONValue

/// Reads JSON of clients, which may nest only so deep: readers and SQLite have limits of their own, and what was taken
/// must be readable when it is answered within something else.
enum BoundedJSON {
    /// How many lists and objects may stand within each other; a document of the original service's database has the
    /// same bound of 100, and a batch puts a few around it.
    static let deepest = 128

    /// The value of a text; `nil` when it is no JSON or nests too deep.
    static func value(_ bytes: some Collection<UInt8>) -> JSONValue? {
        isShallow(bytes) ? try? JSONValue(parsing: bytes) : nil
    }

    private static func isShallow(_ bytes: some Collection<UInt8>) -> Bool {
        var depth = 0
        var isText = false
        var isEscaped = false
        for byte in bytes {
            if isText {
                isText = isEscaped || byte != UInt8(ascii: "\"")
                isEscaped = !isEscaped && byte == UInt8(ascii: "\\")
                continue
            }
            switch byte {
            case UInt8(ascii: "\""): isText = true
            case UInt8(ascii: "["), UInt8(ascii: "{"):
                depth += 1
                guard depth <= deepest else { return false }
            case UInt8(ascii: "]"), UInt8(ascii: "}"): depth -= 1
            default: break
            }
        }
        return true
    }
}
