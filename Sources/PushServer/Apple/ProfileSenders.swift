package import APNs
package import APNsDelivery
internal import CurlHTTP
internal import DeviceRegistry
package import PushModel
internal import Synchronization

/// The senders of profiles, each made when a push first needs it; their connections stay open between pushes.
package final class ProfileSenders: SenderProviding {
    private let profiles: [String: DeviceProfile]
    private let hosts: AppleHosts
    private let credential: @Sendable (DeviceProfile) throws(SenderError) -> PushCredential
    private let state = Mutex(State())

    private struct State {
        var senders: [String: APNsSender] = [:]
        /// One for each key, however many profiles share it. Source: apns.md, A8.
        var tokens: [Key: ProviderTokenSource] = [:]
        var isClosed = false
    }

    private struct Key: Hashable {
        let teamID: String
        let keyID: String
    }

    /// Senders that are not made yet.
    ///
    /// - Parameters:
    ///   - hosts: where Apple's service is.
    ///   - credential: reads a profile's certificate or key.
    package init(
        _ profiles: [DeviceProfile], hosts: AppleHosts = AppleHosts(),
        credential: @escaping @Sendable (DeviceProfile) throws(SenderError) -> PushCredential
    ) {
        self.profiles = Dictionary(profiles.map { ($0.name, $0) }) { first, _ in first }
        self.hosts = hosts
        self.credential = credential
    }

    package func sender(for profile: String) async throws(SenderError) -> any NotificationSending {
        guard let profile = profiles[profile] else { throw SenderError("there is no DeviceProfile '\(profile)'") }
        return try state.withLock { state throws(SenderError) in
            guard !state.isClosed else { throw SenderError("the server stops") }
            if let sender = state.senders[profile.name] { return sender }
            let sender = try make(profile, &state.tokens)
            state.senders[profile.name] = sender
            return sender
        }
    }

    private func make(
        _ profile: DeviceProfile, _ tokens: inout [Key: ProviderTokenSource]
    ) throws(SenderError) -> APNsSender {
        let proof: APNsSender.Credential
        switch try credential(profile) {
        case .certificate(let identity):
            proof = .certificate(chainPEM: identity.chainPEM, keyPEM: identity.keyPEM)
        case .token(let key, let teamID, let keyID):
            let id = Key(teamID: teamID, keyID: keyID)
            let source =
                tokens[id]
                ?? ProviderTokenSource(key: key, teamID: teamID, keyID: keyID, now: { Instant(Timestamp.system) })
            tokens[id] = source
            proof = .token(source)
        }
        do throws(TransportError) {
            return try APNsSender(
                APNsSender.Configuration(
                    endpoint: hosts.host(profile.environment), credential: proof, caFile: hosts.caFile))
        } catch {
            throw SenderError("\(error)")
        }
    }

    /// Closes the connections, once the requests under way have ended; there are no senders after it.
    package func close() async {
        let senders = state.withLock { state in
            state.isClosed = true
            defer { state.senders = [:] }
            return Array(state.senders.values)
        }
        for sender in senders { await sender.close() }
    }
}
