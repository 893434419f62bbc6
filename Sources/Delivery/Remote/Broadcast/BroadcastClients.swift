package import Push

/// Provides the clients that create channels and send broadcasts, by the declared profiles.
package struct BroadcastClients: Sendable {
    private let profiles: [DeviceProfile]
    private let make: @Sendable (DeviceProfile) async -> Result<BroadcastClient, SenderError>

    /// - Parameters:
    ///   - profiles: the declared profiles.
    ///   - make: creates the client with a profile's credential, for the profile's app and environment.
    package init(
        profiles: [DeviceProfile],
        make: @escaping @Sendable (DeviceProfile) async -> Result<BroadcastClient, SenderError>
    ) {
        self.profiles = profiles
        self.make = make
    }

    /// The environments that have a profile with this topic.
    func environments(of topic: String) -> [PushEnvironment] {
        PushEnvironment.allCases.filter { profile(for: topic, in: $0) != nil }
    }

    /// The client for an app in an environment.
    ///
    /// - Throws: `RemoteError` when no profile has the topic in the environment, or its credential cannot be used.
    func client(for topic: String, in environment: PushEnvironment) async throws(RemoteError) -> BroadcastClient {
        guard let profile = profile(for: topic, in: environment) else {
            throw RemoteError(
                .refused,
                "no DeviceProfile of environment \(environment.rawValue) has the topic \(topic): "
                    + "declare one until its broadcast channels are deleted")
        }
        switch await make(profile) {
        case .success(let client): return client
        case .failure(let error):
            throw RemoteError(
                error.isOfTheMachine ? .unavailable : .credentials,
                "DeviceProfile \(profile.name): \(error.description)")
        }
    }

    private func profile(for topic: String, in environment: PushEnvironment) -> DeviceProfile? {
        profiles.first { profile in
            profile.environment == environment && PushType.liveactivity.fits(topic: profile.topic)
                && PushType.liveactivity.bundleID(of: profile.topic) == topic
        }
    }
}
