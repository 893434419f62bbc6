internal import Synchronization

/// The registered keys and the revoked certificates.
final class CredentialBook: Sendable {
    private struct State {
        var keys: [String: ProviderKey] = [:]
        var verified: [String: ProviderToken] = [:]
        var revokedSerials: Set<String> = []
        var revision = 0
    }

    private let state = Mutex(State())
    private let statistics: StatisticsBook

    init(statistics: StatisticsBook) { self.statistics = statistics }

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

    /// The key as currently registered.
    func key(_ id: String) -> ProviderKey? { state.withLock { $0.keys[id] } }

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
