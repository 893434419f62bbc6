internal import Base
internal import Delivery
internal import DeviceRegistry
internal import HTTP
internal import Push

/// Connects to Apple and to the team's registry.
struct APNsAccess: Sendable {
    let bench: Workbench
    let remote: RemoteDeclaration
    let settings: RemoteDeclaration.APNs

    /// The name of the registry in messages.
    var label: String {
        switch settings.registry {
        case .sqlite(let path): path
        case .postgres: "PostgreSQL"
        }
    }

    /// Describes the remote without connecting to it. The recorded fingerprint of the registry must be given, because
    /// only the registry itself could provide it; with nil, the result matches no registry.
    func description(fingerprint: Digest?) -> RemoteDescription {
        RemoteDescription(
            name: remote.name, type: .apns, title: APNsRemote.title(label, (try? bench.desired().deviceProfiles) ?? []),
            fingerprint: fingerprint ?? Digest(of: ["apns"] as JSONValue))
    }

    /// Opens the registry for reading; a writable connection is opened when a writer is requested. `retries` is the
    /// writer's number of retries when Apple cannot be reached.
    ///
    /// - Throws: ``Failure`` with `failed` when the registry cannot be opened, `credentials` when its address is
    ///   missing.
    func connect(workspace: String, retries: Int) async throws -> Workbench.Connected {
        let (store, identity) = try await openForReading()
        let profiles = try bench.desired().deviceProfiles
        let description = APNsRemote.description(
            name: remote.name, registry: identity, label: label, profiles: profiles, hosts: settings.hosts)
        let timeout = remote.timeout
        return Workbench.Connected(
            reader: APNsReader(store, description: description, workspace: workspace, staleAfter: settings.stale),
            makeWriter: { pausing in
                let store = try await open()
                let began = ContinuousClock.now
                let pool = senderPool(profiles)
                return APNsWriter(
                    store, workspace: workspace,
                    senders: { pool.senders(of: $0, pausing: pausing) },
                    clients: broadcastClients(profiles, pool),
                    settings: DeliverySettings(requestTimeout: timeout, retries: retries, staleAfter: settings.stale),
                    canBeJoined: settings.registry.isShared, pausing: pausing,
                    elapsed: { ContinuousClock.now - began })
            }, timeout: timeout)
    }

    // MARK: Apple

    func senderPool(_ profiles: [DeviceProfile]) -> SenderPool {
        Self.senderPool(
            profiles, bench,
            SenderPool.Settings(endpoints: endpoints, caFile: bench.caFile(of: remote), timeout: remote.timeout))
    }

    /// Creates the senders for profiles whose credentials a workspace has.
    static func senderPool(
        _ profiles: [DeviceProfile], _ bench: Workbench, _ settings: SenderPool.Settings
    ) -> SenderPool {
        let reading = CredentialReader(bench.secrets)
        return SenderPool(
            profiles: profiles, settings: settings,
            now: { Workbench.localNow }
        ) { profile throws(SenderError) in
            do throws(CredentialReader.Failure) {
                return try reading.credential(of: profile)
            } catch {
                throw SenderError("DeviceProfile \(profile.name): \(error.description)")
            }
        }
    }

    private var endpoints: APNsEndpoints { APNsEndpoints(hosts: settings.hosts) }

    private func broadcastClients(_ profiles: [DeviceProfile], _ pool: SenderPool) -> BroadcastClients {
        let reading = CredentialReader(bench.secrets)
        let (endpoints, caFile, timeout) = (endpoints, bench.caFile(of: remote), remote.timeout)
        return BroadcastClients(profiles: profiles) { profile in
            do {
                let credential = try reading.credential(of: profile)
                var configuration = HTTPClient.Configuration(caFile: caFile, userAgent: BugleVersion.tool)
                let identity: BroadcastClient.Credential
                switch credential {
                case .certificate(let certificate):
                    configuration.clientCertificate = ClientCertificate(
                        chainPEM: certificate.chainPEM.revealedBytes, keyPEM: certificate.keyPEM.revealedBytes)
                    identity = .certificate
                case .serviceAccount, .vendor: return .failure(SenderError("it is not Apple's"))
                case .token:
                    guard let tokens = try await pool.tokens(for: profile) else {
                        return .failure(SenderError("it has no key"))
                    }
                    identity = .token(tokens)
                }
                return .success(
                    BroadcastClient(
                        http: try HTTPClient(configuration), endpoints: endpoints, environment: profile.environment,
                        topic: PushType.liveactivity.bundleID(of: profile.topic), credential: identity,
                        timeout: timeout))
            } catch {
                return .failure(SenderError("\(error)", isOfTheMachine: error is TransportError))
            }
        }
    }

    // MARK: The registry

    /// Creates the registry, or migrates it to the current version.
    ///
    /// - Throws: ``Failure`` with `failed` when that is not possible.
    func createRegistry() async throws {
        try await reporting {
            switch settings.registry {
            case .sqlite(let path): try Registry.open(path: file(path)).close()
            case .postgres(let source): try await PostgresRegistry.create(try address(source))
            }
        }
    }

    func open() async throws -> Journal {
        try await reporting {
            switch settings.registry {
            case .sqlite(let path): return Journal(try Registry.open(existing: file(path)))
            case .postgres(let source): return try await PostgresRegistry.open(try address(source))
            }
        }
    }

    /// Opens the registry read-only; `identity` is unique to it.
    private func openForReading() async throws -> (JournalReader, identity: String) {
        try await reporting {
            let store =
                switch settings.registry {
                case .sqlite(let path): try Registry.openReadOnly(path: file(path))
                case .postgres(let source): try await PostgresRegistry.openReadOnly(try address(source))
                }
            try await store.checkIsWhole()
            return (store, try await store.identity())
        }
    }

    private func file(_ path: String) -> String { path.hasPrefix("/") ? path : bench.loaded.folder + "/" + path }

    private func address(_ source: SecretSource) throws -> PostgresAddress {
        do {
            return try PostgresAddress(try bench.secrets.secret(source).revealedText)
        } catch let error as SecretReader.Unavailable {
            throw bench.failure(error, remote, field: "registry")
        } catch let error as PostgresError {
            throw Failure(.invalid, "\(remote.name): \(error.description)")
        }
    }

    private func reporting<Value>(_ body: () async throws -> Value) async throws -> Value {
        do {
            return try await body()
        } catch let error as RegistryError {
            throw Failure(.failed, "\(remote.name): \(error.description)")
        }
    }
}

extension RemoteDeclaration.APNs.Registry {
    /// True if other machines can reach the registry.
    var isShared: Bool {
        switch self {
        case .sqlite: false
        case .postgres: true
        }
    }
}
