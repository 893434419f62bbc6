internal import Base
package import DeviceRegistry
package import Push

/// One delivery that the engine starts or resumes.
package struct DeliveryJob: Sendable {
    /// The id of its request, which identifies its journal.
    package var id: String
    /// The workspace; empty for the server's own pushes.
    package var workspace: String
    /// The notification and its recipients.
    package var order: DeliveryOrder
    /// Apple's id of a broadcast's channel; nil for devices, or when the channel is already frozen.
    package var channelID: String?
    /// The start of the delivery, from which an expiration counts.
    package var start: Instant
    /// The time it was due, from which its window counts until there is an outcome.
    package var due: Instant
    /// The window after its last outcome in which it may resume; docs/background/sending.md#straight-to-apple.
    package var window: Duration
    /// The expiration; nil: none.
    package var expiresAt: Instant?
    /// The numbers of devices that the audience may have when it is frozen: one of any other size is sent nothing.
    package var allowed: Range<Int>
    /// The salt of its stages: the delivery's own id, whatever the request's.
    package var salt: String

    /// Creates a job; a nil `due` means its start, a nil `salt` its id.
    package init(
        id: String, workspace: String, order: DeliveryOrder, start: Instant, due: Instant? = nil, window: Duration,
        expiresAt: Instant? = nil, allowed: Range<Int> = 0..<Int.max, salt: String? = nil
    ) {
        self.id = id
        self.salt = salt ?? id
        self.workspace = workspace
        self.order = order
        self.start = start
        self.due = due ?? start
        self.window = window
        self.expiresAt = expiresAt
        self.allowed = allowed
    }

    /// The reason nothing more of it may be sent at an instant; nil when it may.
    ///
    /// Once a divided audience is frozen, each of its parts is over at a time of its own.
    func reasonItIsOver(at now: Instant, _ figures: JournalFigures?) -> String? {
        if let expiresAt, expiresAt <= now { return "it expired at \(expiresAt.isoText)" }
        if order.timing != .together, figures?.isFrozen == true { return nil }
        let end =
            switch order.timing {
            case .together: windowEnd([figures?.lastOutcomeAt, figures?.waitsUntil].compactMap(\.self).max())
            case .localTime(let schedule): schedule.last + schedule.window
            case .stages, .variants: due + window
            }
        return end < now ? "its window ended at \(end.isoText)" : nil
    }

    /// The time from which nothing more of a part may be sent; of the whole when `opensAt` is nil.
    func end(opensAt: Instant?, lastOutcome: Instant?) -> Instant {
        let start = [opensAt, lastOutcome].compactMap(\.self).max()
        let afterWindow = windowEnd(start) + .milliseconds(1)
        let expiry = opensAt.flatMap { order.expiration.end(startingAt: $0) } ?? expiresAt
        return expiry.map { min($0, afterWindow) } ?? afterWindow
    }

    private func windowEnd(_ start: Instant?) -> Instant {
        // A part has its whole window, however late the delivery began.
        start.map { $0 + (order.timing.window ?? window) } ?? due + window
    }

    private var division: AudienceDivision {
        switch order.timing {
        case .together: .whole
        case .localTime(let schedule): .localTime(schedule)
        case .stages(let rollout): .stages(rollout, Buckets(salt: salt))
        case .variants(let test): .variants(test, Buckets(salt: salt))
        }
    }

    /// The audience for the registry to freeze; nil: a broadcast whose channel is not known.
    var freeze: DeliveryFreeze? {
        let selection: DeliveryAudience.Selection
        var isBroadcast = false
        switch order.target {
        case .condition(let condition): selection = .condition(condition)
        case .devices(let tokens): selection = .tokens(tokens)
        case .broadcast:
            guard let channelID else { return nil }
            (selection, isBroadcast) = (.tokens([ChannelToken.token(of: channelID)]), true)
        }
        return DeliveryFreeze(
            delivery: id, workspace: workspace,
            audience: DeliveryAudience(
                selection: selection,
                routes: order.routes.map {
                    // A broadcast's one target is not an installation: it takes the default route.
                    DeliveryRoute(
                        profile: $0.profile, vendor: $0.vendor, installations: $0.installations, topic: $0.topic,
                        isDefault: $0.isDefault || isBroadcast)
                }, words: order.words, holdout: order.holdout, frequency: order.frequency),
            batchSize: batchSize, raisesBadges: order.countsBadge, environment: order.environment.rawValue,
            allowed: isBroadcast ? 0..<Int.max : allowed, division: division,
            events: order.eventsKept.map { EventRetention(keep: $0, expiresAt: lastExpiration) })
    }

    /// The time after which Apple tries none of its notifications any more; nil when they do not expire.
    private var lastExpiration: Instant? {
        let last =
            switch order.timing {
            case .together: start
            case .localTime(let schedule): schedule.last + schedule.window
            case .stages(let rollout): due + window * rollout.stages.count
            case .variants(let test): due + window + test.decideBy + test.window
            }
        return order.expiration.end(startingAt: last)
    }

    /// The number of devices per batch: under a throttle two seconds' worth, so that a stop or a crash leaves little
    /// open.
    private var batchSize: Int {
        guard let throttle = order.throttle else { return 1000 }
        return min(1000, max(1, min(throttle, 1000) * 2))
    }
}

/// A run's permission to send, and the means to stop it.
package struct DeliveryPermit: Sendable {
    /// The run's random name, recorded in its batches.
    package var run: String
    /// The lock under which it writes; nil for the server, whose registry has no other writer.
    package var lease: Lease?
    /// Tells whether requests may start, and until when.
    package var permission: @Sendable () async -> Permission
    /// True once the run was asked to stop; called before every request, so it must not block.
    package var isStopped: @Sendable () -> Bool

    /// The time during which requests may start after the lock was found to last as long as one takes;
    /// docs/background/lock.md#lifetime.
    package static let grace = Duration.seconds(10)

    package init(
        run: String, lease: Lease?,
        permission: @escaping @Sendable () async -> Permission = { .granted(for: grace) },
        isStopped: @escaping @Sendable () -> Bool = { false }
    ) {
        self.run = run
        self.lease = lease
        self.permission = permission
        self.isStopped = isStopped
    }
}

/// The timeouts and retries of a delivery.
package struct DeliverySettings: Sendable {
    /// The timeout of a request; 30 s by default.
    package var requestTimeout: Duration
    /// The most batches in a row that may end without any request; 5 by default.
    package var retries: Int
    /// The time after its claim during which a batch may start requests; the rest of it is then returned.
    package var batchTime: Duration
    /// The longest wait for its next request, with nothing else to do, before it is left to a later run; nil: no limit.
    /// A minute by default.
    package var longestWait: Duration?
    /// The time after which a device that was not seen gets nothing; nil: it always gets it. 90 days by default.
    package var staleAfter: Duration?

    package init(
        requestTimeout: Duration = .seconds(30), retries: Int = 5, batchTime: Duration = .seconds(60),
        longestWait: Duration? = .seconds(60), staleAfter: Duration? = AudienceCount.threeMonths
    ) {
        self.staleAfter = staleAfter
        self.requestTimeout = requestTimeout
        self.retries = retries
        self.batchTime = batchTime
        self.longestWait = longestWait
    }

    /// The time after which a batch claimed by another sender will not be settled any more.
    var abandonedAfter: Duration { batchTime + requestTimeout + .seconds(30) }
}

/// The outcome of an engine's run.
package enum DeliveryEnding: Hashable, Sendable {
    /// Every device has its answer, or counts as in doubt or missed; the journal is closed.
    case ended(JournalFigures)
    /// No device was ever sent to, in this run or before; nothing was closed.
    case nothingSent(DeliveryStop)
    /// Some devices were or may have been sent to, others are still waiting: the next run resumes.
    case interrupted(DeliveryStop)
}

/// The reason a delivery stopped before its end.
package enum DeliveryStop: Error, Hashable, CustomStringConvertible {
    /// The run was asked to stop.
    case asked
    /// The lock is lost, or may not hold long enough.
    case lockLost
    /// The delivery's time is over, for this reason.
    case over(String)
    /// Nothing is wrong, but nothing may or can be sent for a while: the reason, and the end of the wait.
    case postponed(String, until: Instant?)
    /// A service refuses the whole delivery rather than a device.
    case refused(ServiceReason)
    /// Too many bad tokens, so they belong to another environment; the numbers are bad tokens and answers.
    case wrongEnvironment(bad: Int, answers: Int, vendor: PushVendor = .apns)
    /// A service cannot be reached or does not answer; the last reason.
    case unreachable(String, vendor: PushVendor = .apns)
    /// A profile's certificate or key cannot be used.
    case credential(profile: String, SenderError)
    /// This machine lacks something, such as threads.
    case machine(String)
    /// The registry failed, or refuses the audience.
    case registry(RegistryError)
    /// The audience that was to be frozen has a size that is not allowed.
    case audience(JournalFigures)
    /// The journal does not match the request, as described.
    case mismatch(String)
    /// A stage was judged, and a person decides about the next one.
    case judged(StageVerdict)
    case stopped(StopOrder)

    /// True when a service may answer again at any moment.
    var isUnreachable: Bool { unreachableVendor != nil }

    /// The service that cannot be reached; nil for any other reason.
    package var unreachableVendor: PushVendor? { if case .unreachable(_, let vendor) = self { vendor } else { nil } }

    init(_ denial: Denial) {
        switch denial {
        case .lockLost: self = .lockLost
        case .over(let why): self = .over(why.text)
        case .quietHours(let until):
            self = .postponed(denial.reason.text, until: until)
        }
    }

    init(_ error: RegistryError) { self = error == .lockLost ? .lockLost : .registry(error) }

    /// One sentence without a full stop.
    package var description: String {
        switch self {
        case .asked: "it was asked to stop"
        case .lockLost: "the lock was lost"
        case .over(let why), .machine(let why): why
        case .postponed(let why, let until): until.map { "\(why), until \($0.isoText)" } ?? why
        case .refused(let reason): reason.explanation
        case .wrongEnvironment(let bad, let answers, let vendor) where vendor != .apns:
            "wrongEnvironment: \(bad) of \(answers) answers of \(vendor.title) call a token dead, too many to believe; "
                + "check the credential of its DeviceProfile"
        case .wrongEnvironment(let bad, let answers, _):
            "wrongEnvironment: \(bad) of \(answers) answers are BadDeviceToken, so the tokens are another environment's; "
                + "check 'environment' of the campaign and its DeviceProfiles"
        case .unreachable(let reason, let vendor): "\(vendor.title) cannot be reached: \(reason)"
        case .credential(let profile, let error): "DeviceProfile \(profile): \(error)"
        case .registry(let error):
            error.isInternal && !error.isFileLost ? "the registry failed: \(error)" : error.description
        case .audience(let figures): "the audience has \(figures.targets) devices by now, which is not allowed"
        case .mismatch(let how): "the journal does not match the request: \(how)"
        case .judged(let verdict):
            "stage \(verdict.stage) \(verdict.decision == .halt ? "halts" : "holds"): \(verdict.rule.text)"
        case .stopped(let order): order.reason.text
        }
    }
}

/// The id of a broadcast channel in the form of a journal's token, which must be hexadecimal.
enum ChannelToken {
    /// The hexadecimal digits of the id's UTF-8.
    static func token(of channelID: String) -> String { channelID.utf8.hexadecimal }

    /// The channel id of a token; nil when it is not one.
    static func channelID(of token: String) -> String? {
        [UInt8](hexadecimal: token).flatMap { String(validating: $0, as: UTF8.self) }
    }
}
