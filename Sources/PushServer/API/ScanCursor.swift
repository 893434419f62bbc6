internal import Crypto
internal import DeviceRegistry
internal import Diagnostics
internal import JSONValue
internal import PushModel

/// Where a scan goes on, as a text that only this server can have written.
///
/// It holds the place and the time, sealed together with the class, the condition and the key: nothing is kept for it,
/// it outlives a restart, and a text of any other origin is refused before it is read.
struct ScanCursor {
    /// Where the page before ended.
    let position: ScanPosition
    private let issuedAt: Instant

    /// A cursor may be used for so many seconds. Source: <doc:/PushModel/LeanCloudObjects#Scan>.
    static let lifetime = 600.0

    /// The cursor of a page that was answered at `now`.
    init(position: ScanPosition, at now: Instant) {
        self.position = position
        issuedAt = now
    }

    /// Reads a cursor.
    ///
    /// - Throws: ``APIError`` with code 1 when it is none of this scan or is too old.
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

    /// The text that a client sends back.
    func text(_ seal: Seal) -> String {
        let content: JSONValue = [
            "value": position.value, "row": .integer(position.row), "time": .integer(issuedAt.milliseconds),
        ]
        let bytes = content.canonicalBytes
        return bytes.hexadecimal + "." + seal.code(for: bytes).hexadecimal
    }
}

extension ScanCursor {
    /// What a cursor is bound to.
    struct Seal {
        private let key: SymmetricKey
        private let context: [UInt8]

        /// The seal of one scan.
        init(masterKey: ServerKey, className: String, query: ScanQuery) {
            key = SymmetricKey(data: SHA256.hash(data: Array(("bugle scan cursor" + masterKey.revealed).utf8)))
            let scan: JSONValue = [
                "class": .string(className), "where": query.condition, "key": .string(query.key),
                "isDescending": .bool(query.isDescending),
            ]
            context = scan.canonicalBytes
        }

        /// The authentication code of a content.
        func code(for content: [UInt8]) -> [UInt8] {
            Array(HMAC<SHA256>.authenticationCode(for: context + [0] + content, using: key))
        }

        /// Whether a code is that of a content, in a time that does not depend on where it differs.
        func isValid(_ code: [UInt8], for content: [UInt8]) -> Bool {
            HMAC<SHA256>.isValidAuthenticationCode(code, authenticating: context + [0] + content, using: key)
        }
    }
}
