/// The identity of a connection and the provider tokens it may use.
struct ConnectionAuthentication {
    /// The permission granted to one request.
    struct Permission {
        /// The key whose bundle ids may be pushed to; nil for a connection with a certificate.
        fileprivate let key: ProviderKey?
        /// The client certificate of the handshake.
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
