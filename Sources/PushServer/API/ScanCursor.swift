internal import Crypto
internal import DeviceRegistry
internal import Base
internal import Push

/// The position at which a scan continues, as a text that only this server can have written.
///
/// It holds the position and the time, sealed together with the class, the condition and the key: no state is kept for
/// it, it survives a restart, and a text of any other origin is refused before it is parsed.
struct ScanCursor {
    /// The end of the previous page.
    let position: ScanPosition
    private let issuedAt: Instant

    /// The life of a cursor in seconds. Source: docs/background/leancloud/objects.md#scan.
    static let lifetime = 600.0

    /// Creates the cursor of a page returned at `now`.
    init(position: ScanPosition, at now: Instant) {
        self.position = position
        issuedAt = now
    }

    /// Parses and verifies a cursor.
    ///
    /// - Throws: ``APIError`` with code 1 if it is not from this scan or is too old.
    init(_ text: String, seal: Seal, at now: Instant) throws(APIError) {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false).map { [UInt8](hexadecimal: $0) }
        guard parts.count == 2, let content = parts[0], let code = parts[1], seal.isValid(code, for: content),
            let members = try? JSONValue(parsing: content, limits: .anyMemory), let value = members["value"],
            let row = members["row"]?.integer, let time = members["time"]?.integer
        else { throw APIError(400, 1, "The cursor belongs to no such scan: begin without one.") }
        let issuedAt = Instant(milliseconds: time)
        guard now < issuedAt.advanced(bySeconds: Self.lifetime) else {
            throw APIError(400, 1, "The cursor is older than 10 minutes: begin without one.")
        }
        self.init(position: ScanPosition(value: value, row: row), at: issuedAt)
    }

    /// The text sent to the client, which sends it back.
    func text(_ seal: Seal) -> String {
        let content: JSONValue = [
            "value": position.value, "row": .integer(position.row), "time": .integer(issuedAt.milliseconds),
        ]
        let bytes = content.canonicalBytes
        return bytes.hexadecimal + "." + seal.code(for: bytes).hexadecimal
    }
}

extension ScanCursor {
    /// The scan a cursor is bound to.
    struct Seal {
        private let key: SymmetricKey
        private let context: [UInt8]

        /// Creates the seal of one scan.
        init(masterKey: ServerKey, className: String, query: ScanQuery) {
            key = SymmetricKey(data: SHA256.hash(data: Array(("bugle scan cursor" + masterKey.revealed).utf8)))
            let scan: JSONValue = [
                "class": .string(className), "where": query.condition, "key": .string(query.key),
                "isDescending": .bool(query.isDescending),
            ]
            context = scan.canonicalBytes
        }

        /// The authentication code for some content.
        func code(for content: [UInt8]) -> [UInt8] {
            Array(HMAC<SHA256>.authenticationCode(for: context + [0] + content, using: key))
        }

        /// True if a code matches the content; compared in constant time.
        func isValid(_ code: [UInt8], for content: [UInt8]) -> Bool {
            HMAC<SHA256>.isValidAuthenticationCode(code, authenticating: context + [0] + content, using: key)
        }
    }
}
