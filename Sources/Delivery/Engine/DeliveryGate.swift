internal import Base
package import Push
internal import Synchronization

/// Lets the requests of one delivery through until something stops it; called on the senders' threads.
///
/// It is open while the last ``Permission`` lasts. A refusal that concerns the whole delivery, or too many tokens of
/// another environment, shut it for good to the devices of that profile; a service that asks to wait shuts it for a while
/// to them. The others' go on.
final class DeliveryGate: Sendable {
    private let isShut = Atomic<Bool>(false)
    private let hasParked = Atomic<Bool>(false)
    private let hasStops = Atomic<Bool>(false)
    /// The end of the last wait that a service asked for.
    private let waitsUntil = Atomic<Int64>(Int64.min)
    private let openUntil = Atomic<Int64>(Int64.min)
    private let state: Mutex<State>
    private let isStopped: @Sendable () -> Bool
    private let elapsed: @Sendable () -> Duration
    private let clock: ServerTime
    private let profiles: [String: PushVendor]

    private struct State {
        /// The judges of the answers, by profile: another one's credentials may be another app's.
        var judges: [String: EnvironmentJudge]
        /// The profiles by which nothing more is sent.
        var stopped: Set<String> = []
        /// What the run ends with.
        var stop: DeliveryStop?
        /// When services may be called again that were called enough today, by profile.
        var parked: [String: Instant] = [:]
        var order: StopOrder?
        /// How often in a row a service asked to wait, and until when it does, by profile.
        var waits: [String: Wait] = [:]
    }

    private struct Wait {
        var times = 0
        var end = Duration.zero
    }

    /// Creates a gate that stays closed until ``keepOpen(until:)``.
    ///
    /// - Parameters:
    ///   - judges: the counts of the delivery's earlier runs, by profile.
    ///   - profiles: the delivery's profiles and their services.
    ///   - isStopped: true once the run was asked to stop.
    ///   - clock: the registry's clock.
    ///   - elapsed: the time since a fixed moment on a monotonic clock.
    init(
        _ judges: [String: EnvironmentJudge], profiles: [String: PushVendor],
        isStopped: @escaping @Sendable () -> Bool, clock: ServerTime, elapsed: @escaping @Sendable () -> Duration
    ) {
        self.clock = clock
        self.profiles = profiles
        state = Mutex(State(judges: judges))
        self.isStopped = isStopped
        self.elapsed = elapsed
        for (profile, judge) in judges { check(judge, of: profile) }
    }

    /// The reason it was first shut for good to some devices, or to all: of a service that may come back, if there is one.
    var stop: DeliveryStop? { hasStops.load(ordering: .acquiring) ? state.withLock { $0.stop } : nil }

    /// The profiles by which nothing more is sent.
    var stopped: Set<String> { hasStops.load(ordering: .acquiring) ? state.withLock { $0.stopped } : [] }

    /// True when a bad token of a profile is the token's own fault, as far as the answers show.
    func isRightEnvironment(_ profile: String) -> Bool {
        state.withLock { $0.judges[profile]?.isRightEnvironment ?? false }
    }

    /// The profiles whose services want nothing of this delivery for a while.
    var waiting: Set<String> {
        let now = elapsed()
        guard now.milliseconds < waitsUntil.load(ordering: .acquiring) else { return [] }
        return state.withLock { state in Set(state.waits.filter { $0.value.end > now }.keys) }
    }

    /// The profiles by which nothing is sent for a while, or any more.
    var closed: Set<String> { stopped.union(waiting) }

    /// The profile among some whose service waits least, and for how long yet; nil: one of them need not wait.
    func wait(of profiles: Set<String>) -> (profile: String, left: Duration)? {
        let now = elapsed()
        guard !profiles.isEmpty, now.milliseconds < waitsUntil.load(ordering: .acquiring) else { return nil }
        let ends = state.withLock { state in profiles.map { ($0, state.waits[$0]?.end ?? .zero) } }
        guard let first = ends.min(by: { ($0.1, $0.0) < ($1.1, $1.0) }), first.1 > now else { return nil }
        return (first.0, first.1 - now)
    }

    /// True while a profile's service wants nothing of this delivery.
    func waits(_ profile: String) -> Bool {
        let last = waitsUntil.load(ordering: .acquiring)
        guard last != .min, case let now = elapsed(), now.milliseconds < last else { return false }
        return state.withLock { $0.waits[profile].map { $0.end > now } ?? false }
    }

    /// The profiles by which something may still be sent.
    var active: Set<String> { Set(profiles.keys).subtracting(stopped) }

    /// True once a service wanted no more calls for hours.
    var isParking: Bool { hasParked.load(ordering: .acquiring) }

    /// True when no profile is left to send by.
    var isStoppedForAll: Bool { active.isEmpty }

    /// True while requests may start by a profile that is not stopped or parked, and whose service does not wait.
    func admits(_ profile: String) -> Bool {
        // Asked before every request.
        guard hasStops.load(ordering: .acquiring), state.withLock({ $0.stopped.contains(profile) }) else {
            return parkedUntil(profile) == nil && !waits(profile)
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

    func vendor(of profile: String) -> PushVendor { profiles[profile] ?? .apns }

    func keepOpen(until end: Duration) { openUntil.store(end.milliseconds, ordering: .relaxed) }

    /// Shuts the gate to everything, because the run was asked to stop.
    func shut() { isShut.store(true, ordering: .releasing) }

    /// Shuts the gate to everything, because a person stopped the delivery.
    func shut(by order: StopOrder) {
        state.withLock { $0.order = $0.order ?? order }
        shut()
    }

    /// The order by which a person stopped the delivery; nil: none is known.
    var order: StopOrder? { isShut.load(ordering: .acquiring) ? state.withLock { $0.order } : nil }

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
        return elapsed().milliseconds < openUntil.load(ordering: .relaxed)
    }

    /// The time on the gate's clock.
    var now: Duration { elapsed() }

    /// Counts an answer to a request by a profile, and stops it when the answer concerns the whole delivery.
    func note(_ answer: Verdict, by profile: String) {
        let begun = EnvironmentJudge(vendor: vendor(of: profile))
        switch answer {
        case .notSent, .unknown, .refused(.noBodyGiven), .refused(.streamRefused), .refused(.leanCloud),
            .refused(.record):
            return
        case .accepted:
            state.withLock { state in
                state.judges[profile, default: begun].note(answer)
                if !state.waits.isEmpty { state.waits[profile]?.times = 0 }
            }
        case .refused(.service(let reason, _)):
            switch reason.row.decision {
            // By this point, another provider token on another connection has got the same answer.
            case .giveUp, .renew: stop(profile, .refused(reason))
            case .wait(let delay): wait(delay, for: profile)
            case .stopUntil(let hour):
                state.withLock { $0.parked[profile] = clock.now.next(hourInChina: hour) }
                hasParked.store(true, ordering: .releasing)
            case .dropToken, .dropTokenIfEnvironmentIsRight, .refuseToken, .retry, .reconnect: break
            }
            let judge = state.withLock { state in
                state.judges[profile, default: begun].note(answer)
                return state.judges[profile] ?? begun
            }
            check(judge, of: profile)
        }
    }

    private func check(_ judge: EnvironmentJudge, of profile: String) {
        guard judge.isWrongEnvironment else { return }
        stop(profile, .wrongEnvironment(bad: judge.badTokens, answers: judge.answers, vendor: judge.vendor))
    }

    /// Holds back new requests of a profile for a while; of many simultaneous answers that ask for it, the first counts.
    private func wait(_ delay: Backoff, for profile: String) {
        let now = elapsed()
        state.withLock { state in
            var wait = state.waits[profile] ?? Wait()
            guard wait.end <= now else { return }
            wait.times += 1
            wait.end = now + delay.pause(after: wait.times)
            state.waits[profile] = wait
            let last = state.waits.values.map(\.end).max() ?? wait.end
            // Rounded up: nobody may find the time over that the entry says is not.
            waitsUntil.store(last.milliseconds + 1, ordering: .releasing)
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
    var vendor = PushVendor.apns
    /// Answers so far, with those of earlier runs: accepted or refused.
    package private(set) var answers = 0
    /// The number of 200 answers.
    package private(set) var accepted = 0
    /// The number of answers that call a token bad, such as `BadDeviceToken`.
    package private(set) var badTokens = 0

    /// The number of answers from which the share of bad tokens is significant.
    package static let enough = 200

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
