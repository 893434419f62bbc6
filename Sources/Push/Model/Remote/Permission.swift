package import Base

/// Tells whether a request of a delivery may be written.
package enum Permission: Hashable, Sendable {
    /// Allowed, for this long from the moment the permission was *requested*; a request that is not being written by
    /// then must not be written any more. The lock lasts as long as its answer may take, and 10 s more.
    case granted(for: Duration)
    /// Not allowed; a remote that has begun a delivery then interrupts it.
    case denied(Denial)
}

/// The reason no request of a delivery may be written now.
package enum Denial: Hashable, Sendable {
    /// The lock may not last as long as a request takes.
    case lockLost
    /// The delivery's window has ended, or it has expired: which, and when.
    case over(Reason)
    /// The request would start in quiet hours; the value is their end, if they have one.
    case quietHours(until: Instant?)

    package var reason: Reason {
        switch self {
        case .lockLost: Reason(.lockLost)
        case .over(let why): why
        case .quietHours: Reason(.quietBegan)
        }
    }
}

/// The progress of a delivery, in devices.
package struct DeliveryProgress: Hashable, Sendable {
    /// The number of devices in the audience; nil while it is being frozen.
    package var targets: Int?
    /// The number of devices that Apple accepted.
    package var accepted = 0
    /// The number of devices that Apple refused, by reason.
    package var refused: [String: Int] = [:]
    /// The number of devices whose answer was lost.
    package var inDoubt = 0
    /// The recent rate in devices a second.
    package var perSecond = 0.0
    /// The estimated time for the rest at that rate; nil when unknown.
    package var remaining: Duration?
    /// What became of the devices of this run since it began to send, by service.
    package var services: [PushVendor: ServiceOutcomes] = [:]

    package init(targets: Int?) { self.targets = targets }
}

/// The numbers of a service's devices by what became of them.
package struct ServiceOutcomes: Hashable, Sendable {
    /// Devices that it accepted.
    package var accepted = 0
    /// Devices that it refused for good.
    package var refused = 0
    /// Devices whose answer was lost.
    package var inDoubt = 0

    /// Starts with none.
    package init() {}
}

/// The time in which requests of a delivery may be made: its window, its expiration, and the hours that are not quiet.
package struct DeliveryTime: Sendable {
    /// The reason no request may be made at an instant.
    package enum Objection: Hashable, Sendable {
        /// Its time is over, and how.
        case over(Reason)
        case quietHours
    }

    private let scheduledAt: Instant?
    private let latest: Instant?
    private let expiresAt: Instant?
    private let quietHours: QuietHours?

    /// The time of an entry's delivery, whose window begins at `start`; nil for no window, because a journal keeps its
    /// own.
    package init(_ entry: LedgerEntry, windowFrom start: Instant?, quietHours: QuietHours?) {
        scheduledAt = entry.scheduledAt
        latest = start.map { $0 + entry.window }
        expiresAt = entry.expiresAt
        self.quietHours = quietHours
    }

    /// The reason no request may be made at this instant; nil: one may.
    package func objection(at now: Instant) -> Objection? {
        if let expiresAt, expiresAt <= now { return .over(Reason(.expired, .instant(expiresAt))) }
        if let latest, now > latest { return .over(Reason(.windowEnded, .instant(latest))) }
        return isQuiet(now) ? .quietHours : nil
    }

    /// The last moment of a request that may be made now, at most `limit` from now.
    package func end(from now: Instant, within limit: Duration) -> Instant {
        let moment = Duration.milliseconds(1)
        let end = [latest, expiresAt.map { $0 - moment }, now + limit].compactMap { $0 }.min() ?? now
        guard quietHours != nil else { return end }
        // Quiet hours begin with a minute.
        let minutes = sequence(first: now.startOfNextMinute) { $0 + .seconds(60) }.prefix { $0 <= end }
        return minutes.first(where: isQuiet).map { $0 - moment } ?? end
    }

    /// True if a request made now would reach devices in quiet hours.
    private func isQuiet(_ now: Instant) -> Bool { quietHours?.contain(max(now, scheduledAt ?? now)) ?? false }
}

extension LedgerEntry {
    /// When its window begins: at its time, however late it was begun, or else with its intent.
    package var windowStart: Instant { scheduledAt ?? dueAt ?? intendedAt }

    /// The name that its ids are made of; nil when it is none that the campaign had.
    package var identityName: String? {
        names.first {
            DeliveryID(workspace: workspace, campaign: $0, revision: revision, occurrence: occurrence) == delivery
        }
    }

    /// The ids that its pushes may bear: those of every generation up to this one.
    package func notificationIDs() -> Set<DeliveryID> {
        var ids: Set<DeliveryID> = [delivery, notificationID]
        guard generation > 1 else { return ids }
        if let name = identityName {
            // No delivery has so many that a push of the first could still be pending.
            ids.formUnion(
                (max(1, generation - 1000)..<generation).map {
                    DeliveryID(
                        workspace: workspace, campaign: name, revision: revision, occurrence: occurrence,
                        generation: $0)
                })
        }
        return ids
    }
}

extension Instant {
    fileprivate var startOfNextMinute: Instant { Instant(seconds: (seconds - (seconds % 60 + 60) % 60) + 60) }
}

/// Where a delivery in parts stands while nothing is wrong and only time goes on: the part that was sent last, and the
/// time of what comes next.
package struct PartStanding: Hashable, Sendable {
    /// What the parts are.
    package var kind: Kind
    /// The part that was sent last, from 1.
    package var number: Int
    /// The number of parts.
    package var count: Int
    /// Devices of the part for which it was accepted.
    package var accepted: Int
    /// Devices of the part that were refused.
    package var refused: Int
    /// Devices of the part whose answer was lost.
    package var inDoubt: Int
    /// When it is judged, the next wave opens, or a winner must have been named.
    package var next: Instant

    package enum Kind: String, Hashable, Sendable, CaseIterable {
        /// A stage of a rollout, which is judged before the next one opens.
        case stage
        /// The devices whose clocks show the time at one instant.
        case wave
        /// The test of variants, after which the rest gets the winner.
        case test
    }

    package init(kind: Kind, number: Int, of count: Int, accepted: Int, refused: Int, inDoubt: Int = 0, next: Instant) {
        self.kind = kind
        self.number = number
        self.count = count
        self.accepted = accepted
        self.refused = refused
        self.inDoubt = inDoubt
        self.next = next
    }

    /// How it stands: `stage 1/3 baking: 627 accepted, 0 refused; verdict 2026-11-24T19:26:02Z`.
    package var reason: Reason {
        let answers =
            inDoubt > 0
            ? Reason(.acceptedInDoubt, .count(accepted), .count(refused), .count(inDoubt))
            : Reason(.accepted, .count(accepted), .count(refused))
        return switch kind {
        case .stage: Reason(.stageBakes, .number(number), .number(count), .reason(answers), .instant(next))
        case .wave: Reason(.waveSent, .number(number), .number(count), .reason(answers), .instant(next))
        case .test: Reason(.testSent, .reason(answers), .instant(next))
        }
    }

    /// What an apply did, and when the next one does something:
    /// `stage 1 of 3 sent, 627 devices; judged at 2026-11-24T19:26:02Z, next: bugle apply --due`.
    package var outcome: Reason {
        let devices = Reason.Value.count(accepted + refused + inDoubt)
        return switch kind {
        case .stage: Reason(.appliedStage, .number(number), .number(count), devices, .instant(next))
        case .wave: Reason(.appliedWave, .number(number), .number(count), devices, .instant(next))
        case .test: Reason(.appliedTest, devices, .instant(next))
        }
    }

    package static let record = Record<PartStanding>(
        PartStanding(kind: .stage, number: 1, of: 1, accepted: 0, refused: 0, next: Instant(milliseconds: 0)),
        [
            Field("kind", .choice(Kind.self), "What the parts are.", { $0.kind }, { $0.kind = $1 }),
            Field("number", .integer(minimum: 1), "The part that was sent last.", { $0.number }, { $0.number = $1 }),
            Field("of", .integer(minimum: 1), "The number of parts.", { $0.count }, { $0.count = $1 }),
            Field("accepted", .count, "Devices for which it was accepted.", { $0.accepted }, { $0.accepted = $1 }),
            Field("refused", .count, "Devices that were refused.", { $0.refused }, { $0.refused = $1 }),
            Field("inDoubt", .count, "Devices whose answer was lost.", { $0.inDoubt }, { $0.inDoubt = $1 }),
            Field("next", .isoTime, "When the next thing happens.", { $0.next }, { $0.next = $1 }),
        ])
}

/// The right to write until it expires.
package struct Lease: Hashable, Sendable {
    /// The workspace whose lock it is.
    package var workspace: String
    /// The run that holds it.
    package var run: String
    /// The fence of the lock.
    package var fence: Int
    /// The time it expires, on the server's clock.
    package var expiresAt: Instant
    /// The time for which taking or renewing it lasts; two minutes for an apply.
    package var length: Duration

    /// The length of an apply's lock; docs/background/lock.md#lifetime.
    package static let usualLength = Duration.seconds(120)

    package init(workspace: String, run: String, fence: Int, expiresAt: Instant, length: Duration = usualLength) {
        self.workspace = workspace
        self.run = run
        self.fence = fence
        self.expiresAt = expiresAt
        self.length = length
    }
}

/// The server's clock between two readings: the last reading plus the time elapsed here since.
package struct ServerTime: Sendable {
    /// The time since a fixed moment on a monotonic clock.
    package let elapsed: @Sendable () -> Duration
    private let base: Instant
    private let seen: Duration

    /// The longest reading that is trusted: during a longer one this machine may have been suspended.
    package static let longestLook = Duration.seconds(2)

    /// Starts from a reading of the server's clock, the quickest of three when they take long; `elapsed` is the time
    /// since a fixed moment on a monotonic clock.
    ///
    /// - Throws: the error of the reading.
    package init<Failure: Error>(
        elapsed: @escaping @Sendable () -> Duration, _ look: () async throws(Failure) -> Instant
    ) async throws(Failure) {
        self.elapsed = elapsed
        var began = elapsed()
        var best = (base: try await look(), seen: began, took: elapsed() - began)
        for _ in 0..<2 where best.took > Self.longestLook {
            began = elapsed()
            let base = try await look()
            let took = elapsed() - began
            if took < best.took { best = (base, began, took) }
        }
        (base, seen) = (best.base, best.seen)
    }

    /// The server's time now, as far as known without a request.
    package var now: Instant { base + (elapsed() - seen) }

    /// The elapsed time at which the server's clock shows a time.
    package func elapsed(at time: Instant) -> Duration { seen + (time - base) }
}
