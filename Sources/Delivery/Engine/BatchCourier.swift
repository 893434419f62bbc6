internal import Base
internal import DeviceRegistry
internal import Push

/// Processes claimed batches: sends to their devices, and makes the answers durable.
struct BatchCourier: Sendable {
    let store: Journal
    let lease: Lease?
    /// The sender for each profile's devices.
    let routes: [String: any RouteSending]
    let gate: DeliveryGate
    let clock: ServerTime
    let settings: DeliverySettings
    let heartbeat: any Pausing

    struct Report: Sendable {
        let batch: JournalBatch
        /// The answers; nil when no request was made.
        var settlement: BatchSettlement?
        /// True when the journal recorded the answers: a batch that was given up meanwhile counts as in doubt.
        var isSettled: Bool
        /// The reason the journal does not know the outcome.
        var failure: DeliveryStop?
    }

    /// Sends a batch and settles it; `claimed` is the time before its claim was requested, `end` the end of its part.
    func carry(
        _ batch: JournalBatch, claimed: Duration, startingAt start: Instant, until end: Instant
    ) async -> Report {
        guard let route = routes[batch.profile], route.fits(batch) else {
            let isKnown = routes[batch.profile] != nil
            let fault = isKnown ? "it has texts for other words" : "it has devices of profile '\(batch.profile)'"
            let back = batch.targets.indices.map {
                TargetFailure(index: $0, ending: .again(after: nil, counting: 0), reason: "Mismatch")
            }
            // Nothing was sent; if this cannot be recorded either, the batch counts as in doubt.
            _ = try? await store.settle(batch, back, under: lease)
            guard isKnown else {
                // The server knows the profiles of now, not those that the audience was frozen for.
                gate.stop(batch.profile, .mismatch(fault))
                return Report(batch: batch, isSettled: false)
            }
            return Report(batch: batch, isSettled: false, failure: .mismatch(fault))
        }
        let batchGate = BatchGate(
            gate, of: batch.profile, until: claimed + settings.batchTime, over: clock.elapsed(at: end))
        let answers = await route.send(batch, startingAt: start, at: clock.now, through: batchGate)
        let settlement = BatchSettlement(
            batch, answers, at: clock.now, isRightEnvironment: gate.isRightEnvironment(batch.profile),
            parkedUntil: gate.parkedUntil(batch.profile),
            wasHeldBack: batchGate.wasHeldBack)
        do throws(RegistryError) {
            let isSettled = try await persistently(Self.mostRewrites) { () throws(RegistryError) in
                try await store.settle(batch, settlement.failures, under: lease)
            }
            return Report(batch: batch, settlement: settlement, isSettled: isSettled)
        } catch {
            return Report(batch: batch, settlement: settlement, isSettled: false, failure: DeliveryStop(error))
        }
    }

    /// The pauses before what came of a batch is written again.
    private static let storing = Backoff(first: .milliseconds(500), longest: .seconds(2))

    /// The times that it is written again: for almost the half minute in which nobody gives the batch up yet
    /// (``DeliverySettings/abandonedAfter``). A database that restarts, or hands over to its standby, is away for more
    /// than a few seconds.
    private static let mostRewrites = 15

    /// Retries up to `most` times when the database failed: an unrecorded outcome becomes a device in doubt.
    ///
    /// A claim is tried less often than an outcome: each whose answer is lost leaves another batch that nobody sends.
    func persistently<Value: Sendable>(
        _ most: Int = 3, _ body: () async throws(RegistryError) -> Value
    ) async throws(RegistryError) -> Value {
        var tries = 0
        while true {
            do throws(RegistryError) {
                return try await body()
            } catch {
                tries += 1
                // The journal was there when the run began.
                if error.code == .notFound { throw .setBack }
                guard error.isInternal, !error.isFileLost, !error.isSetBack, tries <= most,
                    (try? await heartbeat.pause(for: Self.storing.pause(after: tries))) != nil
                else { throw error }
            }
        }
    }
}

/// The outcome of a batch, as recorded in the journal.
struct BatchSettlement: Sendable {
    /// The devices that were not accepted.
    private(set) var failures: [TargetFailure] = []
    /// The number of devices that their service accepted.
    private(set) var accepted = 0
    /// The number of devices that their service refused for good, by reason.
    private(set) var refused: [String: Int] = [:]
    /// The number of devices whose answer was lost.
    private(set) var inDoubt = 0
    /// The reason the last device without a final answer has none.
    private(set) var lastReason: String?
    /// True when the service gave any device its final answer; what is refused here says nothing of the service.
    private(set) var isFruitful = false

    /// True when the delivery was held back: unsent devices then say nothing about Apple.
    let wasHeldBack: Bool

    /// A device is given up when it stayed unsent so often in batches in which others were answered.
    static let mostReturns = 20
    /// Its service deferring it counts for so many of these: it is given up the fifth time.
    static let deferral = 4

    /// Judges the answers of a batch.
    ///
    /// - Parameters:
    ///   - batch: the batch as it was claimed.
    ///   - answers: in the order of the batch's devices; a missing one counts as lost.
    ///   - now: the current time, from which the pause before another attempt counts.
    ///   - isRightEnvironment: true when a bad token is the token's own fault.
    ///   - parkedUntil: when the service may be called again; nil: now.
    ///   - wasHeldBack: true when the gate was closed, so that being unsent says nothing about a device.
    init(
        _ batch: JournalBatch, _ answers: [Verdict], at now: Instant, isRightEnvironment: Bool,
        parkedUntil: Instant? = nil, wasHeldBack: Bool
    ) {
        self.wasHeldBack = wasHeldBack
        var unsent: [(index: Int, proof: Proof)] = []
        for (index, target) in batch.targets.enumerated() {
            let answer = index < answers.count ? answers[index] : .unknown("the sender gave no answer")
            switch answer {
            case .accepted:
                accepted += 1
                isFruitful = true
            case .refused(.service(let reason, let since)), .notSent(.service(let reason, let since)):
                let ending = Self.ending(reason, since, target, at: now, isRightEnvironment: isRightEnvironment)
                if case .again = ending {
                    lastReason = reason.explanation
                } else if case .refused = answer {
                    isFruitful = true
                }
                add(TargetFailure(index: index, ending: ending, reason: reason.word))
            case .refused(let proof), .notSent(let proof):
                lastReason = proof.explanation
                unsent.append((index, proof))
            case .unknown(let reason):
                lastReason = reason
                add(TargetFailure(index: index, ending: .inDoubt, reason: reason))
            }
        }
        // A device that never gets through while others do must not keep the delivery from ending. When none does, or the
        // delivery is held back, that says nothing of any of them.
        let counts = isFruitful && !wasHeldBack
        for (index, proof) in unsent {
            let isHopeless = counts && batch.targets[index].attempts >= Self.mostReturns
            add(
                isHopeless
                    ? TargetFailure(index: index, ending: .refused, reason: "NotSent")
                    : TargetFailure(
                        index: index, ending: .again(after: parkedUntil, counting: counts ? 1 : 0),
                        reason: proof.explanation))
        }
    }

    private mutating func add(_ failure: TargetFailure) {
        failures.append(failure)
        switch failure.ending {
        case .refused, .dead, .deadIfProven: refused[failure.reason, default: 0] += 1
        case .inDoubt: inDoubt += 1
        case .again: break
        }
    }

    private static func ending(
        _ reason: ServiceReason, _ since: Int64?, _ target: JournalTarget, at now: Instant, isRightEnvironment: Bool
    ) -> TargetFailure.Ending {
        switch reason.row.decision {
        case .dropToken: return .dead(since: since.map { Instant(milliseconds: $0) })
        case .dropTokenIfEnvironmentIsRight: return isRightEnvironment ? .dead(since: nil) : .deadIfProven
        case .refuseToken: return .refused
        case .retry(let delay):
            guard target.attempts + deferral < mostReturns else { return .refused }
            let after = now + delay.pause(after: target.attempts / deferral + 1)
            return .again(after: after, counting: deferral)
        case .reconnect:
            return target.attempts + deferral < mostReturns ? .again(after: nil, counting: deferral) : .refused
        case .stopUntil(let hour): return .again(after: now.next(hourInChina: hour), counting: 0)
        // The delivery stops or waits, and the device with it: it is not the device's fault.
        case .wait, .giveUp, .renew: return .again(after: nil, counting: 0)
        }
    }
}

extension Instant {
    /// The next time it is a minute past so many o'clock in China, where the vendors' days end at midnight: a service
    /// whose clock is a little behind still refuses at the hour itself, and would be left alone for another day.
    func next(hourInChina hour: Int) -> Instant {
        let (day, shift) = (Int64(86_400), Int64(8 - hour) * 3600 - 60)
        return Instant(seconds: ((seconds + shift) / day + 1) * day - shift)
    }
}
