package import Base
internal import DeviceRegistry
internal import HTTP
internal import Logging
internal import Push
package import PushReport

/// Tells the room in the server's settings of pushes that failed and certificates that expire soon.
///
/// A failure to tell is a warning in the log, and nothing waits for the room.
struct ServerNews: Sendable {
    private let room: NotifyRoom
    private let application: String
    private let registry: Registry
    private let store: Journal
    private let clock: ServerClock
    private let logger: Logger
    private let notifier: Notifier

    /// The place of the marks of what was told: no workspace has such a name.
    private static let place = "notify "

    /// - Throws: `TransportError` when libcurl cannot be used.
    init(
        _ room: NotifyRoom, _ application: String, _ registry: Registry, _ clock: ServerClock, _ logger: Logger
    ) throws(TransportError) {
        self.room = room
        self.application = application
        self.registry = registry
        self.clock = clock
        self.logger = logger
        store = Journal(registry) { clock.now }
        let began = ContinuousClock.now
        notifier = Notifier(
            try HTTPClient(HTTPClient.Configuration(connectTimeout: .seconds(5), userAgent: BugleVersion.tool)),
            pausing: TaskPause(), now: { clock.now }, elapsed: { ContinuousClock.now - began })
    }

    /// Tells that a push has failed, which it does once. That of a campaign is told by apply.
    func tell(of push: ApplePush, _ reason: Reason) {
        Task {
            do throws(RegistryError) {
                guard try await registry.ledgerEntry(of: push.order, createdAt: push.createdAt) == nil else { return }
                await tell([.failed(push: push.order.objectID, reason)])
            } catch {
                logger.warning("notify: \(error.description)")
            }
        }
    }

    /// Tells of certificates that expire soon, once each, whichever copy of the server comes first.
    func tell(ofCertificates profiles: [DeviceProfile]) async {
        let now = clock.now
        let events = profiles.compactMap { profile in
            profile.facts?.expiresAt.flatMap { NotifyEvent.certificate(profile.name, until: $0, at: now) }
        }
        guard !events.isEmpty else { return }
        do throws(RegistryError) {
            await tell(try await claimed(events))
        } catch {
            logger.warning("notify: \(error.description)")
        }
    }

    /// Marks the events that nobody was told of, and returns them; none while another copy does that.
    private func claimed(_ events: [NotifyEvent]) async throws(RegistryError) -> [NotifyEvent] {
        let attempt = try await store.acquireLock(of: Self.place, holder: "bugle-server", run: ObjectID.push())
        guard case .acquired(let lease) = attempt else { return [] }
        let told = Set(try await store.records(.mark, of: Self.place).map(\.key))
        let new = events.filter { !told.contains($0.id) }
        for event in new {
            let mark = DeployRecord(workspace: Self.place, kind: .mark, key: event.id, document: [:])
            try await store.put(mark, under: lease)
        }
        try await store.release(lease, lastApplied: nil)
        return new
    }

    private func tell(_ events: [NotifyEvent]) async {
        guard !events.isEmpty else { return }
        let message = NotifyMessage(workspace: application, remote: "bugle-server", events: events)
        for fault in await notifier.tell(message, to: [room]) { logger.warning("\(fault)") }
    }
}

// MARK: - Settings

/// A setting of `notify` that cannot be used.
package struct NotifyProblem: Error {
    package let setting: Setting
    package let code: DiagnosticCode
    package let message: String
}

extension ServerSettings {
    /// Reads who is told; nil: nobody.
    ///
    /// - Throws: ``NotifyProblem`` with the setting, never with what a source holds.
    package func room(in environment: [String: String]) throws(NotifyProblem) -> NotifyRoom? {
        guard let service = notifyTo else {
            if notifyAddress == nil { return nil }
            throw NotifyProblem(setting: .notifyAddress, code: .missingKey, message: "needs 'notify.to' beside it")
        }
        guard let source = notifyAddress else {
            throw NotifyProblem(setting: .notifyTo, code: .missingKey, message: "needs 'notify.address' beside it")
        }
        if notifySecret != nil, !service.isSigned {
            throw NotifyProblem(
                setting: .notifySecret, code: .conflictingKeys, message: "does not go with '\(service.rawValue)'")
        }
        func secret(_ source: SecretSource, _ setting: Setting) throws(NotifyProblem) -> Secret {
            do throws(SettingError) {
                return Secret(try source.text(in: environment))
            } catch {
                throw NotifyProblem(setting: setting, code: .missingVariable, message: error.message)
            }
        }
        return NotifyRoom(
            service, address: try secret(source, .notifyAddress),
            secret: try notifySecret.map { (source) throws(NotifyProblem) in try secret(source, .notifySecret) },
            language: notifyLanguage)
    }
}
