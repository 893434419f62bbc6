internal import Base
package import Push
internal import Synchronization

/// Lets the requests of one delivery through until something stops it; called on the senders' threads.
///
/// It is open while the last ``Permission`` lasts. A refusal that concerns the whole delivery, or too many tokens of
/// another environment, shut it for good to the devices of that profile or service; the others' go on.
final class DeliveryGate: Sendable {
    private let isShut = Atomic<Bool>(false)
    private let hasParked = Atomic<Bool>(false)
    private let hasStops = Atomic<Bool>(false)
    private let openFrom = Atomic<Int64>(Int64.min)
    private let openUntil = Atomic<Int64>(Int64.min)
    private let state: Mutex<State>
    private let isStopped: @Sendable () -> Bool
    private let elapsed: @Sendable () -> Duration
    private let clock: ServerTime
    private let profiles: [String: PushVendor]

    private struct State {
        var judges: [PushVendor: EnvironmentJudge]
        /// The profiles by which nothing more is sent.
        var stopped: Set<String> = []
        /// What the run ends with.
        var stop: DeliveryStop?
        /// When services may be called again that were called enough today, by profile.
        var parked: [String: Instant] = [:]
        /// The number of times in a row that a service asked to wait.
        var waits = 0
        /// The service that asked last.
        var waitsFor = PushVendor.apns
    }

    /// Creates a gate that stays closed until ``keepOpen(until:)``.
    ///
    /// - Parameters:
    ///   - judges: the counts of the delivery's earlier runs, by service.
    ///   - profiles: the delivery's profiles and their services.
    ///   - isStopped: true once the run was asked to stop.
    ///   - clock: the registry's clock.
    ///   - elapsed: the time since a fixed moment on a monotonic clock.
    init(
        _ judges: [PushVendor: EnvironmentJudge], profiles: [String: PushVendor],
        isStopped: @escaping @Sendable () -> Bool, clock: ServerTime, elapsed: @escaping @Sendable () -> Duration
    ) {
        self.clock = clock
        self.profiles = profiles
        state = Mutex(State(judges: judges))
        self.isStopped = isStopped
        self.elapsed = elapsed
        for judge in judges.values { check(judge) }
    }

    /// The reason it was first shut for good to some devices, or to all: of a service that may come back, if there is one.
    var stop: DeliveryStop? { hasStops.load(ordering: .acquiring) ? state.withLock { $0.stop } : nil }

    /// The profiles by which nothing more is sent.
    var stopped: Set<String> { hasStops.load(ordering: .acquiring) ? state.withLock { $0.stopped } : [] }

    /// True when a bad token is the token's own fault, as far as the answers show.
    func isRightEnvironment(_ vendor: PushVendor) -> Bool {
        state.withLock { $0.judges[vendor]?.isRightEnvironment ?? false }
    }

    /// The remaining time during which a service wants nothing of this delivery; at zero or less, sending may continue.
    var hold: Duration { .milliseconds(openFrom.load(ordering: .relaxed)) - elapsed() }

    /// True once a service wanted no more calls for hours.
    var isParking: Bool { hasParked.load(ordering: .acquiring) }

    /// True when no profile is left to send by.
    var isStoppedForAll: Bool { stopped.count == profiles.count }

    /// True while requests may start by a profile that is not stopped or parked.
    func admits(_ profile: String) -> Bool {
        // Asked before every request.
        guard hasStops.load(ordering: .acquiring), state.withLock({ $0.stopped.contains(profile) }) else {
            return parkedUntil(profile) == nil
        }
        return false
    }

    /// When a profile's service may be called again; nil: now.
    func parkedUntil(_ profile: String) -> Instant? {
        guard hasParked.load(ordering: .acquiring), let time = state.withLock({ $0.parked[profile] }) else {
            return nil
        }
        return time > clock.now ? time : nil
    }

    /// The service that ``hold`` is for.
    var waitsFor: PushVendor { state.withLock(\.waitsFor) }

    /// Keeps the gate open until a time.
    func keepOpen(until end: Duration) { openUntil.store(end.milliseconds, ordering: .relaxed) }

    /// Shuts the gate to everything, because the run was asked to stop.
    func shut() { isShut.store(true, ordering: .releasing) }

    /// Shuts the gate for good to a profile's devices; the first cause is kept.
    func stop(_ profile: String, _ stop: DeliveryStop) {
        state.withLock { state in
            state.stopped.insert(profile)
            if state.stop == nil || stop.isUnreachable && state.stop?.isUnreachable == false { state.stop = stop }
        }
        hasStops.store(true, ordering: .releasing)
    }

    /// True while a request may start.
    var isOpen: Bool {
        guard !isShut.load(ordering: .acquiring), !isStopped() else { return false }
        let now = elapsed().milliseconds
        return now < openUntil.load(ordering: .relaxed) && now >= openFrom.load(ordering: .relaxed)
    }

    /// The time on the gate's clock.
    var now: Duration { elapsed() }

    /// Counts an answer to a request by a profile, and stops it when the answer concerns the whole delivery.
    func note(_ answer: Verdict, by profile: String) {
        let vendor = profiles[profile] ?? .apns
        switch answer {
        case .notSent, .unknown, .refused(.noBodyGiven), .refused(.streamRefused), .refused(.leanCloud),
            .refused(.record):
            return
        case .accepted:
            state.withLock { state in
                state.judges[vendor, default: EnvironmentJudge(of: vendor)].note(answer)
                state.waits = 0
            }
        case .refused(.service(let reason, _)):
            switch reason.row.decision {
            // By this point, another provider token on another connection has got the same answer.
            case .giveUp, .renew: stop(profile, .refused(reason))
            case .wait(let delay): wait(delay, for: vendor)
            case .stopUntil(let hour):
                state.withLock { $0.parked[profile] = clock.now.next(hourInChina: hour) }
                hasParked.store(true, ordering: .releasing)
            case .dropToken, .dropTokenIfEnvironmentIsRight, .refuseToken, .retry, .reconnect: break
            }
            check(
                state.withLock { state in
                    state.judges[vendor, default: EnvironmentJudge(of: vendor)].note(answer)
                    return state.judges[vendor] ?? EnvironmentJudge(of: vendor)
                })
        }
    }

    private func check(_ judge: EnvironmentJudge) {
        guard judge.isWrongEnvironment else { return }
        let cause = DeliveryStop.wrongEnvironment(bad: judge.badTokens, answers: judge.answers, vendor: judge.vendor)
        for profile in profiles.keys where profiles[profile] == judge.vendor { stop(profile, cause) }
    }

    /// Holds back new requests for a while; of many simultaneous answers that ask for it, the first counts.
    private func wait(_ delay: Backoff, for vendor: PushVendor) {
        state.withLock { state in
            guard hold <= .zero else { return }
            state.waits += 1
            state.waitsFor = vendor
            openFrom.store((elapsed() + delay.pause(after: state.waits)).milliseconds, ordering: .relaxed)
        }
    }
}

/// The gate of one batch: no request of it starts later than others give it up.
package final class BatchGate: Sendable {
    private let delivery: DeliveryGate
    private let profile: String
    private let end: Duration
    private let over: Duration
    private let heldBack = Atomic<Bool>(false)

    /// The gate of a batch for devices of one profile, whose requests may start until `end`, and while its part is not
    /// `over`.
    init(_ delivery: DeliveryGate, of profile: String, until end: Duration, over: Duration) {
        self.delivery = delivery
        self.profile = profile
        self.end = end
        self.over = over
    }

    /// True if the delivery's gate was closed to one of its requests, or its time was over: that those were not sent
    /// says nothing of Apple.
    var wasHeldBack: Bool { heldBack.load(ordering: .acquiring) }

    /// True while a request may start.
    package var isOpen: Bool {
        guard delivery.isOpen, delivery.now < over, delivery.admits(profile) else {
            heldBack.store(true, ordering: .releasing)
            return false
        }
        return delivery.now < end
    }

    /// Passes on an answer.
    package func note(_ answer: Verdict) { delivery.note(answer, by: profile) }
}

/// Judges from a service's answers to a delivery whether it uses the right environment or project, so that a mix-up never
/// wipes a registry.
///
/// A plain counter; every answer must be reported to it.
package struct EnvironmentJudge: Hashable, Sendable {
    /// The service.
    let vendor: PushVendor
    /// Answers so far: accepted or refused.
    package private(set) var answers: Int
    /// The number of 200 answers.
    package private(set) var accepted: Int
    /// The number of answers that call a token bad, such as `BadDeviceToken`.
    package private(set) var badTokens: Int

    /// The number of answers from which the share of bad tokens is significant.
    package static let enough = 200

    /// Starts with the counts of earlier runs.
    package init(of vendor: PushVendor = .apns, answers: Int = 0, accepted: Int = 0, badTokens: Int = 0) {
        self.vendor = vendor
        self.answers = answers
        self.accepted = accepted
        self.badTokens = badTokens
    }

    /// Counts an answer; a request that was not sent or not answered is not counted.
    package mutating func note(_ answer: Verdict) {
        switch answer {
        case .accepted:
            answers += 1
            accepted += 1
        case .refused(let proof):
            answers += 1
            if case .service(let reason, _) = proof, reason.row.decision == .dropTokenIfEnvironmentIsRight {
                badTokens += 1
            }
        case .notSent, .unknown: break
        }
    }

    /// True when the delivery must stop: over 20 % of at least 200 answers called a token bad. Apple closes such
    /// connections.
    package var isWrongEnvironment: Bool { answers >= Self.enough && badTokens * 5 > answers }

    /// True when such an answer marks any token, not only one that was accepted in this environment before: with Apple,
    /// at least 90 % of the answers were 200; with others, whose word is of the token alone, there was any.
    package var isRightEnvironment: Bool {
        vendor == .apns ? answers > 0 && accepted * 10 >= answers * 9 : accepted > 0 && !isWrongEnvironment
    }
}
