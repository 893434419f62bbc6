internal import DeviceRegistry
internal import HTTP
package import Push

/// Creates the senders of profiles on first use, keeps them, and closes them all.
///
/// All senders of one key share a provider token: Apple objects to a second one within 20 minutes.
package actor SenderPool {
    /// The settings of all senders in a pool.
    package struct Settings: Sendable {
        /// The addresses of Apple's services.
        package var endpoints: APNsEndpoints
        /// A PEM file of CAs to trust in addition to the system's.
        package var caFile: String?
        /// The timeout of a request.
        package var timeout: Duration
        /// The number of connections to each host.
        package var connections: Int
        /// The failed connection attempts in a row before everything waiting is answered as not sent.
        package var connectAttempts: Int

        package init(
            endpoints: APNsEndpoints = APNsEndpoints(), caFile: String? = nil, timeout: Duration = .seconds(30),
            connections: Int = 2, connectAttempts: Int = 4
        ) {
            self.connectAttempts = connectAttempts
            self.endpoints = endpoints
            self.caFile = caFile
            self.timeout = timeout
            self.connections = connections
        }
    }

    private struct Key: Hashable {
        let profile: String
        let endpoint: String
        let perSecond: Int?
    }

    private struct TokenKey: Hashable {
        let key: SigningKey
        let teamID: String
        let keyID: String
    }

    private let profiles: [String: DeviceProfile]
    private let settings: Settings
    private let credential: @Sendable (DeviceProfile) throws(SenderError) -> PushCredential
    private let now: @Sendable () -> Instant
    private var senders: [Key: any NotificationSending] = [:]
    private var tokens: [TokenKey: ProviderTokenSource] = [:]
    private var accounts: [ServiceAccount: AccessTokenSource] = [:]
    private var http: HTTPClient?

    /// Creates a pool without senders.
    ///
    /// - Parameters:
    ///   - profiles: the available profiles; the same name in two environments means two profiles.
    ///   - settings: the addresses, CAs, timeout and connections of all its senders.
    ///   - now: the machine's clock, for the time in provider tokens.
    ///   - credential: reads a profile's certificate or key when it is first needed.
    package init(
        profiles: [DeviceProfile], settings: Settings, now: @escaping @Sendable () -> Instant,
        credential: @escaping @Sendable (DeviceProfile) throws(SenderError) -> PushCredential
    ) {
        self.profiles = Dictionary(profiles.map { ($0.name, $0) }) { first, _ in first }
        self.settings = settings
        self.now = now
        self.credential = credential
    }

    /// Provides senders with a rate limit.
    ///
    /// - Parameters:
    ///   - perSecond: devices a second; nil for no limit.
    ///   - environment: the environment that profiles must have, which may have changed since a delivery began: the
    ///     tokens of one environment are dead in the other. Nil: any.
    ///   - destination: the kind of targets.
    /// - Returns: a provider that takes each profile's sender from this pool.
    package nonisolated func senders(
        perSecond: Int? = nil, environment: PushEnvironment? = nil, to destination: Destination = .devices
    ) -> any SenderProviding {
        PooledSenders(pool: self, perSecond: perSecond, environment: environment, destination: destination)
    }

    /// The provider token of a profile; nil when it has a certificate.
    ///
    /// - Throws: ``SenderError`` when its key cannot be read or used.
    package func tokens(for profile: DeviceProfile) throws(SenderError) -> ProviderTokenSource? {
        guard case .token(let key, let teamID, let keyID) = try credential(profile) else { return nil }
        return try source(key, teamID, keyID)
    }

    /// Closes every sender once its open batches have ended.
    package func close() async {
        let all = senders.values
        senders = [:]
        for sender in all { await sender.close() }
        http?.close()
        (http, accounts) = (nil, [:])
    }

    fileprivate func sender(
        for name: String, perSecond: Int?, environment: PushEnvironment?, to destination: Destination
    ) async throws(SenderError) -> any NotificationSending {
        guard let profile = profiles[name] else {
            throw SenderError(
                "no DeviceProfile '\(name)' is declared: declare it again until its deliveries have ended")
        }
        if let environment, profile.environment != environment {
            throw SenderError(
                "its environment is \(profile.environment.rawValue), but the delivery's is \(environment.rawValue): change "
                    + "it back until the delivery has ended")
        }
        let destination: Destination =
            switch profile.vendor {
            case .apns: destination
            case .fcm: .fcm
            case .hms, .harmony, .honor, .mi, .miGlobal, .oppo, .vivo: .vendor
            }
        let endpoint = settings.endpoints.authority(of: destination, profile.environment)
        let key = Key(profile: name, endpoint: endpoint, perSecond: perSecond)
        if let known = senders[key] { return known }
        let sender: PushSender
        let credential = try credential(profile)
        switch credential {
        case .certificate, .token: break
        case .serviceAccount(let account): try await tokens(for: account).prepare()
        case .vendor(let credential):
            guard let service = credential.service else { throw SenderError("its vendor has no service here") }
            let asker = VendorAsker(
                http: try client(), hosts: settings.endpoints.hosts, timeout: settings.timeout, now: now)
            let made = VendorSender(service, asker, perSecond: perSecond)
            try await made.prepare()
            if let known = senders[key] { return known }
            senders[key] = made
            return made
        }
        // Another caller may have been faster meanwhile.
        if let known = senders[key] { return known }
        let configuration = try configuration(of: key, credential)
        do throws(TransportError) {
            sender = try PushSender(configuration)
        } catch {
            throw SenderError(error.description, isOfTheMachine: error.code == .internalFailure)
        }
        senders[key] = sender
        return sender
    }

    private func configuration(
        of key: Key, _ credential: PushCredential
    ) throws(SenderError) -> PushSender.Configuration {
        let identity: PushSender.Credential
        var path = ""
        switch credential {
        case .certificate(let certificate):
            identity = .certificate(chainPEM: certificate.chainPEM, keyPEM: certificate.keyPEM)
        case .token(let signingKey, let teamID, let keyID): identity = .token(try source(signingKey, teamID, keyID))
        case .serviceAccount(let account):
            identity = .token(try tokens(for: account))
            path = "/v1/projects/\(account.project)/messages:send"
        case .vendor: throw SenderError("it is not for this sender")
        }
        return PushSender.Configuration(
            endpoint: key.endpoint, path: path, credential: identity,
            connections: settings.connections, caFile: settings.caFile, requestTimeout: settings.timeout,
            perSecond: key.perSecond, retries: PushSender.Retries(connectAttempts: settings.connectAttempts))
    }

    /// The access tokens of an account: one source for all its senders.
    private func tokens(for account: ServiceAccount) throws(SenderError) -> AccessTokenSource {
        if let known = accounts[account] { return known }
        let tokens = GoogleTokens(
            account: account, address: settings.endpoints.fcmToken, http: try client(), timeout: settings.timeout,
            now: now)
        let source = AccessTokenSource(of: account.email) { () throws(SenderError) in try await tokens.fetch() }
        accounts[account] = source
        return source
    }

    /// The client for tokens and for vendors that take many devices in a call.
    private func client() throws(SenderError) -> HTTPClient {
        if let http { return http }
        do throws(TransportError) {
            let made = try HTTPClient(.init(caFile: settings.caFile))
            http = made
            return made
        } catch {
            throw SenderError(error.description, isOfTheMachine: true)
        }
    }

    private func source(
        _ key: SigningKey, _ teamID: String, _ keyID: String
    ) throws(SenderError) -> ProviderTokenSource {
        let name = TokenKey(key: key, teamID: teamID, keyID: keyID)
        if let known = tokens[name] { return known }
        do throws(CredentialError) {
            let source = try ProviderTokenSource(key: key, teamID: teamID, keyID: keyID, now: now)
            tokens[name] = source
            return source
        } catch {
            throw SenderError(error.description)
        }
    }
}

/// The senders of a pool for one environment, with a rate limit of their own.
private struct PooledSenders: SenderProviding {
    let pool: SenderPool
    let perSecond: Int?
    let environment: PushEnvironment?
    let destination: Destination

    func sender(for profile: String) async throws(SenderError) -> any NotificationSending {
        try await pool.sender(for: profile, perSecond: perSecond, environment: environment, to: destination)
    }
}

/// Provides the sender of a profile: created on first use, shared by all batches, closed by its creator.
package protocol SenderProviding: RouteProviding {
    /// The sender for a profile's credential and environment.
    ///
    /// - Throws: ``SenderError`` when the profile's certificate or key cannot be read or used.
    func sender(for profile: String) async throws(SenderError) -> any NotificationSending
}

extension SenderProviding {
    package func route(_ route: DeliveryOrder.Route, of job: DeliveryJob) async throws(SenderError) -> any RouteSending
    {
        ProfileRoute(
            delivery: job.id, order: job.order, route: route, sender: try await sender(for: route.profile),
            values: job.order.forms.map(\.values))
    }
}

/// The order and the sender for one profile's devices.
private struct ProfileRoute: RouteSending {
    let delivery: String
    let order: DeliveryOrder
    let route: DeliveryOrder.Route
    let sender: any NotificationSending
    /// The values in the texts of each form, of which a batch has a text each for its devices.
    let values: [[PersonalValue]]

    var vendor: PushVendor { route.vendor }

    private var places: [Int] { values.map(\.count) }

    func fits(_ batch: JournalBatch) -> Bool {
        form(of: batch).map { form in batch.targets.allSatisfy { $0.texts.count == form.all } } ?? false
    }

    /// The form of a batch, and where its texts stand among those of a device; nil when the order has none.
    private func form(of batch: JournalBatch) -> (form: Int, texts: Range<Int>, all: Int)? {
        let arm = batch.winner.flatMap { order.test?.index(of: $0) }
        return AudienceWords.form(batch.form, arm: arm, of: max(1, order.variants.count), places: places)
    }

    func send(
        _ batch: JournalBatch, startingAt start: Instant, at now: Instant, through gate: BatchGate
    ) async -> [Verdict] {
        guard let form = form(of: batch) else { return [] }
        if let messages = order.others[vendor] {
            let life = order.expiration.life(at: now, startingAt: start)
            guard vendor == .fcm else {
                return await call(messages, form.form, of: batch, texts: form.texts, living: life, through: gate)
            }
            return await send(messages, form.form, of: batch, texts: form.texts, living: life, through: gate)
        }
        let own = order.appleValues(form.form)
        let notification = order.notification(for: route, form: form.form, startingAt: start)
        let ids = APNsIDs(delivery: delivery)
        let targets = batch.targets.map { target in
            var target = target
            // Behind those of Apple's payload stand the values of other vendors' messages only.
            target.texts = Array(target.texts[form.texts].prefix(own))
            return SendTarget(
                token: notification.recipient(target.token), id: ids.id(for: target.token),
                fillings: order.fillings(target))
        }
        return await sender.send(notification, to: targets, through: gate)
    }

    /// Sends a message through FCM, which gets the time that is left of its life; one that grew too large with its
    /// device's values is not sent, because FCM's refusal of it would not say so.
    private func send(
        _ messages: DeliveryOrder.Messages, _ form: Int, of batch: JournalBatch, texts: Range<Int>,
        living life: Duration?, through gate: BatchGate
    ) async -> [Verdict] {
        let template = order.fcmTemplate(messages, form, life: life)
        let places = template.gaps.map { gap in gap.value.flatMap { values[form].firstIndex(of: $0) } }
        let filled = batch.targets.map { target -> SendTarget in
            let address = PushAddress.registrationID(of: target.token)
            let own = target.texts[texts]
            let fillings = zip(template.gaps, places).map { gap, place in
                gap.filling(address: address, badge: target.badge) { value in
                    place.map { own[own.startIndex + $0] } ?? value.default
                }
            }
            return SendTarget(token: address, id: APNsIDs(delivery: delivery).id(for: target.token), fillings: fillings)
        }
        var verdicts = filled.map { target -> Verdict? in
            let bytes = template.byteCount + target.fillings.dropFirst().reduce(0) { $0 + $1.count }
            return bytes > FCMMessage.limit && !template.values.isEmpty
                ? .notSent(.service(.fcm(.messageTooLarge), since: nil)) : nil
        }
        let fitting = verdicts.indices.filter { verdicts[$0] == nil }
        let notification = PushNotification(to: .fcm, body: template.body)
        let answers = await sender.send(notification, to: fitting.map { filled[$0] }, through: gate)
        for (index, answer) in zip(fitting, answers) { verdicts[index] = answer }
        return verdicts.map { $0 ?? .unknown("the sender gave no answer") }
    }
}

extension ProfileRoute {
    /// Sends a message through a vendor that takes many devices in a call: one message for those with the same values.
    private func call(
        _ messages: DeliveryOrder.Messages, _ form: Int, of batch: JournalBatch, texts: Range<Int>,
        living life: Duration?, through gate: BatchGate
    ) async -> [Verdict] {
        let template = order.message(messages, form).completed(by: route.settings)
        var verdicts = [Verdict](repeating: .unknown("the sender gave no answer"), count: batch.targets.count)
        let groups = Dictionary(grouping: batch.targets.indices) { Array(batch.targets[$0].texts[texts]) }
        let attempts = batch.targets.first?.attempts ?? 0
        await withTaskGroup(of: (places: [Int], answers: [Verdict]).self) { tasks in
            var waiting = groups.sorted { $0.value[0] < $1.value[0] }[...]
            func next() {
                guard let (own, places) = waiting.popFirst() else { return }
                let message =
                    order.isPersonal
                    ? template.filled { value in
                        values[form].firstIndex(of: value).flatMap { $0 < own.count ? own[$0] : nil } ?? value.default
                    } : template
                tasks.addTask { [sender, vendor, delivery] in
                    guard VendorMessage.fits(vendor, message) else {
                        let reason = VendorReason(vendor, VendorReason.tooLong)
                        let proof = reason.map { Proof.service(.vendor($0), since: nil) } ?? .noBodyGiven("too long")
                        return (places, places.map { _ in .notSent(proof) })
                    }
                    let targets = places.map { place in
                        let token = batch.targets[place].token
                        return SendTarget(
                            token: PushAddress.registrationID(of: token),
                            id: APNsID(delivery: delivery, token: token))
                    }
                    let notification = PushNotification(
                        to: .vendor,
                        body: .message(message, life: life, id: "\(delivery)b\(batch.number)a\(attempts)g\(places[0])"))
                    return (places, await sender.send(notification, to: targets, through: gate))
                }
            }
            for _ in 0..<Self.mostCalls { next() }
            for await done in tasks {
                for (place, answer) in zip(done.places, done.answers) { verdicts[place] = answer }
                next()
            }
        }
        return verdicts
    }

    /// The most calls of a batch at a time.
    private static var mostCalls: Int { 8 }
}

extension BatchGate: SendGate {}

extension PushNotification {
    /// Converts the journal's token to the form that Apple expects.
    fileprivate func recipient(_ token: String) -> String {
        switch destination {
        case .devices, .fcm, .vendor: token
        // Apple refuses a token that is not a channel's id.
        case .broadcastChannels: ChannelToken.channelID(of: token) ?? token
        }
    }
}
