package import Crypto
internal import FoundationEssentials

/// A signing key of a team, as it is registered with Apple (<doc:/APNs/AppleCredentials#Provider-tokens>).
package struct ProviderKey: Sendable {
    /// The key id, ten characters.
    package let id: String
    /// The team id, ten characters.
    package let team: String
    /// The bundle ids it may push to; nil for all of its team.
    package var topics: Set<String>?
    /// The environments it is valid in; a key of the older kind is valid in both.
    package var environments: Set<SimulatedEnvironment>
    /// The keys that may share a connection with it.
    package var related: Set<String>
    let publicKey: P256.Signing.PublicKey

    /// A registered key.
    package init(
        id: String, team: String, publicKey: P256.Signing.PublicKey, topics: Set<String>? = nil,
        environments: Set<SimulatedEnvironment> = [.development, .production], related: Set<String> = []
    ) {
        self.id = id
        self.team = team
        self.publicKey = publicKey
        self.topics = topics
        self.environments = environments
        self.related = related
    }

    /// Whether it may push to a topic, with its suffix or without.
    func allows(topic: String) -> Bool {
        guard let topics else { return true }
        return topics.contains(topic) || topics.contains(PushKind.bundle(of: topic))
    }
}

/// The private half of a ``ProviderKey``, for the `.p8` file and for tests.
package struct ProviderSigningKey: Sendable {
    /// The key id, ten characters.
    package let id: String
    /// The team id, ten characters.
    package let team: String
    private let key: P256.Signing.PrivateKey

    /// A new one.
    package init(id: String = Self.makeID(), team: String = Self.makeID()) {
        self.id = id
        self.team = team
        key = P256.Signing.PrivateKey()
    }

    /// One from a `.p8` file.
    ///
    /// - Throws: what swift-crypto says when it is not a P-256 key in PEM.
    package init(id: String, team: String, pem: String) throws {
        self.id = id
        self.team = team
        key = try P256.Signing.PrivateKey(pemRepresentation: pem)
    }

    /// PKCS#8 in PEM, as in `AuthKey_<id>.p8`.
    package var pem: String { key.pemRepresentation + "\n" }

    /// The public half, as it is registered.
    package var registered: ProviderKey { ProviderKey(id: id, team: team, publicKey: key.publicKey) }

    /// How a provider token is put together; tests spoil one part at a time.
    package struct TokenForm: Sendable {
        /// The header's `alg`.
        package var algorithm = "ES256"
        /// The header's `kid`; nil for the key's.
        package var keyID: String?
        /// The claim `iss`; nil for the key's team.
        package var team: String?
        /// Whether the signature is DER, as Apple's shell recipe makes it, instead of r and s.
        package var isDER = false

        /// As Apple asks for it.
        package init() {}
    }

    /// A provider token.
    ///
    /// - Parameter issuedAt: `iat`, in seconds of UNIX time.
    /// - Throws: what swift-crypto says when it cannot sign.
    package func token(issuedAt: Int64, _ form: TokenForm = .init()) throws -> String {
        let header = #"{"alg":"\#(form.algorithm)","kid":"\#(form.keyID ?? id)"}"#
        let claims = #"{"iss":"\#(form.team ?? team)","iat":\#(issuedAt)}"#
        let signed = Base64URL.text(Array(header.utf8)) + "." + Base64URL.text(Array(claims.utf8))
        let signature = try key.signature(for: Array(signed.utf8))
        return signed + "."
            + Base64URL.text(Array(form.isDER ? signature.derRepresentation : signature.rawRepresentation))
    }

    /// Ten random capitals and digits, as Apple's ids are.
    package static func makeID() -> String {
        String((0..<10).map { _ in "ABCDEFGHJKLMNPQRSTUVWXYZ23456789".randomElement() ?? "A" })
    }
}

/// Base64 with `-` and `_`, without padding (RFC 4648, section 5).
enum Base64URL {
    static func text(_ bytes: [UInt8]) -> String {
        String(
            Data(bytes).base64EncodedString().compactMap { character in
                switch character {
                case "+": "-"
                case "/": "_"
                case "=": nil
                default: character
                }
            })
    }

    /// The bytes; nil when it is not such a text.
    static func bytes(_ text: Substring) -> [UInt8]? {
        var plain = ""
        for character in text.utf8 {
            switch character {
            case UInt8(ascii: "-"): plain.append("+")
            case UInt8(ascii: "_"): plain.append("/")
            case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: plain.unicodeScalars.append(UnicodeScalar(character))
            default: return nil
            }
        }
        plain += String(repeating: "=", count: (4 - plain.utf8.count % 4) % 4)
        return Data(base64Encoded: plain).map(Array.init)
    }
}
