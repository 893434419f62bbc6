package import APNs
package import APNsDelivery
internal import CurlHTTP
internal import DeviceRegistry
package import PushModel
package import PushRemote
internal import Synchronization

/// How one `apns` remote is reached: the registry, Apple, and the credentials of the profiles that the files declare.
///
/// Nothing is opened and no credential read before it is needed.
package final class APNsConnection: Sendable {
    /// Which remote it is.
    package let description: RemoteDescription
    /// How long one request may take.
    package let timeout: Duration

    private let registry: RegistrySource
    private let opening: RegistryOpening
    private let apple: AppleAccess
    private let retries: Int

    /// Describes a connection.
    ///
    /// - Parameters:
    ///   - name: the remote's name in the workspace.
    ///   - hosts: endpoints that replace Apple's; config.md, "Workspace".
    ///   - caFile: a PEM file of CAs to trust beside the system's.
    ///   - timeout: how long one request may take, at most 60 s.
    ///   - retries: how often what never left is tried again.
    ///   - profiles: those that the files declare.
    ///   - credential: reads a profile's certificate or key, called when it is first needed.
    package init(
        name: String, registry: RegistrySource, hosts: [String: String] = [:], caFile: String? = nil,
        timeout: Duration = .seconds(30), retries: Int = 5, profiles: [DeviceProfile],
        credential: @escaping @Sendable (DeviceProfile) -> Result<PushCredential, SenderError>
    ) {
        description = APNsRemote.description(
            name: name, registry: registry.identity, label: registry.label, hosts: hosts)
        self.registry = registry
        self.timeout = min(timeout, .seconds(60))
        self.retries = max(0, retries)
        opening = RegistryOpening(registry)
        apple = AppleAccess(
            endpoints: APNsEndpoints(hosts: hosts), caFile: caFile, timeout: min(timeout, .seconds(60)),
            profiles: profiles, credential: credential)
    }

    /// What planning may use: it only reads, and nothing of Apple's.
    package func reader(workspace: String) -> APNsReader {
        APNsReader(
            { [opening] () async throws(RegistryError) in try await opening.reading() }, description: description,
            workspace: workspace)
    }

    /// What only an apply may use.
    ///
    /// - Parameters:
    ///   - pausing: waits between tries; it ends when the apply is asked to.
    ///   - elapsed: time since any fixed moment, on a clock that nobody sets.
    package func writer(
        workspace: String, pausing: any Pausing, elapsed: @escaping @Sendable () -> Duration
    ) -> APNsWriter {
        let apple = apple
        let senders = ProfileSenders { profile, perSecond in await apple.sender(for: profile, perSecond: perSecond) }
        open.withLock { $0.append(senders) }
        return APNsWriter(
            { [opening] () async throws(RegistryError) in try await opening.writing() }, workspace: workspace,
            senders: { order in DeliverySenders(senders: senders, perSecond: order.throttle) },
            clients: BroadcastClients(profiles: apple.profiles) { await apple.client(for: $0) },
            settings: DeliverySettings(requestTimeout: timeout, retries: retries), canBeJoined: registry.isShared,
            pausing: pausing, elapsed: elapsed)
    }

    private let open = Mutex<[ProfileSenders]>([])

    /// Closes senders and registry. Nothing works after it.
    package func close() async {
        for senders in open.withLock({ $0 }) { await senders.close() }
        await opening.close()
    }
}
