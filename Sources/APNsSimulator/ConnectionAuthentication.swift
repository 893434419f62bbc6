internal import FoundationEssentials
internal import NIOCore
internal import NIOSSL
internal import SwiftASN1
internal import Synchronization
internal import X509

/// The identity of a connection and the provider tokens it may use.
struct ConnectionAuthentication {
    /// The permission granted to one request.
    struct Permission {
        /// The key whose bundle ids may be pushed to; nil for a connection with a certificate.
        fileprivate let key: ProviderKey?
        let certificate: ClientCertificate?

        /// True if the request may push to a topic.
        func allows(topic: String) -> Bool { certificate?.allows(topic: topic) ?? key?.allows(topic: topic) ?? false }
    }

    /// The current token of one key on this connection.
    private struct InUse {
        var token: ProviderToken
        var replacedAt: Int64?
        var earlier: Set<String> = []
    }

    /// The least number of seconds between two tokens of a connection
    /// (docs/background/apple/credentials.md#provider-tokens).
    static let renewalInterval: Int64 = 1200

    let certificate: ClientCertificate?
    private let credentials: CredentialBook
    private let environment: SimulatedEnvironment
    private var first: ProviderKey?
    private var inUse: [String: InUse] = [:]
    private var last: (authorization: String, token: ProviderToken, permission: Permission, revision: Int)?

    init(certificate: ClientCertificate?, credentials: CredentialBook, environment: SimulatedEnvironment) {
        self.certificate = certificate
        self.credentials = credentials
        self.environment = environment
    }

    /// Authenticates a request; `seconds` is the current time.
    mutating func check(_ authorization: String?, at seconds: Int64) throws(Refusal) -> Permission {
        if let certificate { return try check(certificate) }
        guard let authorization else { throw Refusal(.missingProviderToken) }
        let revision = credentials.revision
        if let last, last.authorization == authorization, last.revision == revision {
            guard !last.token.isExpired(at: seconds) else { throw Refusal(.expiredProviderToken) }
            return last.permission
        }
        let token = try credentials.token(try Self.bearer(authorization))
        guard !token.isExpired(at: seconds) else { throw Refusal(.expiredProviderToken) }
        guard token.key.environments.contains(environment) else { throw Refusal(.badEnvironmentKeyIdInToken) }
        try bind(token.key)
        try renew(token, at: seconds)
        // The bundle ids are those of the key at the first push: one added later needs a new connection.
        let key = first?.id == token.key.id ? first : token.key
        let permission = Permission(key: key, certificate: nil)
        last = (authorization, token, permission, revision)
        return permission
    }

    private func check(_ certificate: ClientCertificate) throws(Refusal) -> Permission {
        guard !credentials.isRevoked(serial: certificate.serial) else { throw Refusal(.badCertificate) }
        guard certificate.environments.contains(environment) else { throw Refusal(.badCertificateEnvironment) }
        return Permission(key: nil, certificate: certificate)
    }

    /// Binds the connection to the team of its first key, and to the keys related to that key.
    private mutating func bind(_ key: ProviderKey) throws(Refusal) {
        guard let first else { return self.first = key }
        guard first.id != key.id else { return }
        guard first.team == key.team else { throw Refusal(.invalidProviderToken) }
        guard first.related.contains(key.id) || key.related.contains(first.id) else {
            throw Refusal(.unrelatedKeyIdInToken)
        }
    }

    /// Accepts a new token; refuses one issued or sent less than 20 minutes after the previous one.
    private mutating func renew(_ token: ProviderToken, at seconds: Int64) throws(Refusal) {
        let id = token.key.id
        guard var inUse = inUse[id] else { return self.inUse[id] = InUse(token: token) }
        // Requests in flight when the token was renewed.
        if inUse.token.text == token.text || inUse.earlier.contains(token.text) { return }
        guard token.issuedAt - inUse.token.issuedAt >= Self.renewalInterval,
            seconds - (inUse.replacedAt ?? .min / 2) >= Self.renewalInterval
        else { throw Refusal(.tooManyProviderTokenUpdates) }
        inUse.earlier.insert(inUse.token.text)
        inUse.token = token
        inUse.replacedAt = seconds
        self.inUse[id] = inUse
    }

    private static func bearer(_ authorization: String) throws(Refusal) -> String {
        let scheme = authorization.prefix(7)
        guard scheme.lowercased() == "bearer " else { throw Refusal(.missingProviderToken) }
        let token = authorization.dropFirst(7)
        guard !token.isEmpty else { throw Refusal(.missingProviderToken) }
        return String(token)
    }
}

/// The registered keys and the revoked certificates.
final class CredentialBook: Sendable {
    private struct State {
        var keys: [String: ProviderKey] = [:]
        var verified: [String: ProviderToken] = [:]
        var revokedSerials: Set<String> = []
        var revision = 0
    }

    private let state = Mutex(State())
    private let statistics: Watched<SimulatorStatistics>

    init(statistics: Watched<SimulatorStatistics>) { self.statistics = statistics }

    func register(_ key: ProviderKey) {
        state.withLock {
            $0.keys[key.id] = key
            $0.verified = [:]
            $0.revision += 1
        }
    }

    func revokeKey(_ id: String) {
        state.withLock {
            $0.keys[id] = nil
            $0.verified = [:]
            $0.revision += 1
        }
    }

    func revoke(serial: String) {
        state.withLock {
            $0.revokedSerials.insert(serial)
            $0.revision += 1
        }
    }

    func isRevoked(serial: String) -> Bool { state.withLock { $0.revokedSerials.contains(serial) } }

    /// A counter that grows with every registration and revocation.
    var revision: Int { state.withLock { $0.revision } }

    /// The token for a text; its signature is verified once for all connections.
    func token(_ text: String) throws(Refusal) -> ProviderToken {
        let (known, keys) = state.withLock { ($0.verified[text], $0.keys) }
        if let known { return known }
        let token = try ProviderToken(text, keys: keys)
        state.withLock { state in
            // Bounds the cache against hostile clients.
            if state.verified.count >= 10_000 { state.verified = [:] }
            state.verified[text] = token
        }
        statistics.change { $0.providerTokens += 1 }
        return token
    }
}

/// The contents of a push certificate (docs/background/apple/credentials.md#certificates).
struct ClientCertificate: Sendable {
    /// Bundle ids and topics with suffixes.
    let topics: [String]
    let environments: Set<SimulatedEnvironment>
    let serial: String
    private let notBefore: Date
    private let notAfter: Date

    init(_ certificate: Certificate) {
        var topics: [String] = []
        for oid in [AppleOID.topics, AppleOID.additionalTopics] {
            for topic in Self.topics(in: certificate.extensions[oid: oid]?.value) where !topics.contains(topic) {
                topics.append(topic)
            }
        }
        let attributes = certificate.subject.flatMap { Array($0) }
        for attribute in attributes where attribute.type == AppleOID.userID {
            if let uid = String(attribute.value), !topics.contains(uid) { topics.append(uid) }
        }
        self.topics = topics
        var environments: Set<SimulatedEnvironment> = []
        if certificate.extensions[oid: AppleOID.development] != nil { environments.insert(.development) }
        if certificate.extensions[oid: AppleOID.production] != nil { environments.insert(.production) }
        self.environments = environments
        serial = certificate.serialNumber.description
        notBefore = certificate.notValidBefore
        notAfter = certificate.notValidAfter
    }

    /// The default topic for a request that names none: only a certificate with a single topic has one.
    var onlyTopic: String? { topics.count == 1 ? topics[0] : nil }

    /// True if the certificate may push to a topic; location pushes need a provider token.
    func allows(topic: String) -> Bool { topics.contains(topic) && !topic.hasSuffix(PushKind.location.suffix) }

    /// True if the certificate is valid at a time, in seconds of UNIX time.
    func isValid(at seconds: Int64) -> Bool {
        let date = Date(timeIntervalSince1970: Double(seconds))
        return notBefore <= date && date <= notAfter
    }

    /// Reads the topics: each is a string, followed by a list of its kinds.
    private static func topics(in value: ArraySlice<UInt8>?) -> [String] {
        guard let value, let root = try? DER.parse(value), case .constructed(let pairs) = root.content else {
            return []
        }
        return pairs.compactMap { node in (try? ASN1UTF8String(derEncoded: node)).map { String($0) } }
    }
}

/// The object identifiers of Apple's push certificates.
enum AppleOID {
    static let development = push(1)
    static let production = push(2)
    static let additionalTopics = push(4)
    static let topics = push(6)
    static let userID: ASN1ObjectIdentifier = [0, 9, 2342, 19_200_300, 100, 1, 1]

    private static func push(_ last: UInt) -> ASN1ObjectIdentifier { [1, 2, 840, 113_635, 100, 6, 3, last] }
}

/// Accepts or rejects a client's certificate during the handshake.
///
/// A certificate that is from another CA, revoked or not currently valid fails the handshake
/// (docs/background/apple/credentials.md#certificates).
struct ClientVerification: Sendable {
    private let authority: Certificate.PublicKey
    private let credentials: CredentialBook
    private let clock: SimulatorClock

    init(identity: SimulatorIdentity, credentials: CredentialBook, clock: SimulatorClock) {
        authority = identity.authority.publicKey
        self.credentials = credentials
        self.clock = clock
    }

    /// The contents of a certificate; nil when it is rejected.
    func accepted(_ certificate: NIOSSLCertificate) -> ClientCertificate? {
        guard let bytes = try? certificate.toDERBytes(), let parsed = try? Certificate(derEncoded: bytes),
            authority.isValidSignature(parsed.signature, for: parsed)
        else { return nil }
        let facts = ClientCertificate(parsed)
        guard facts.isValid(at: clock.seconds), !credentials.isRevoked(serial: facts.serial) else { return nil }
        return facts
    }

    /// The verification callback for swift-nio-ssl.
    func verify(_ chain: [NIOSSLCertificate], _ promise: EventLoopPromise<NIOSSLVerificationResult>) {
        promise.succeed(chain.first.flatMap(accepted) == nil ? .failed : .certificateVerified)
    }
}
