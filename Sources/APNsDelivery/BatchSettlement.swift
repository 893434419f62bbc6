internal import Basics
internal import DeviceRegistry
internal import PushModel

/// What became of a batch, as the journal records it.
struct BatchSettlement: Sendable {
    /// The devices that were not accepted.
    private(set) var failures: [TargetFailure] = []
    /// How many Apple accepted.
    private(set) var accepted = 0
    /// How many Apple refused for good, by reason.
    private(set) var refused: [String: Int] = [:]
    /// How many answers were lost.
    private(set) var inDoubt = 0
    /// Why a device has no final answer, of the last of them.
    private(set) var lastReason: String?

    /// Whether the delivery was held back: that devices were not sent to says nothing of Apple then.
    let wasHeldBack: Bool

    /// How often a device is tried that Apple puts off.
    static let mostTries = 5
    /// How often a device may come back unsent from batches in which others were answered.
    static let mostReturns = 20

    /// Whether any device has its final answer.
    var isFruitful: Bool { accepted > 0 || !refused.isEmpty }

    /// Judges the answers of a batch.
    ///
    /// - Parameters:
    ///   - answers: in the order of the batch's devices; one that is missing counts as lost.
    ///   - isRightEnvironment: whether a bad token is the token's own fault.
    ///   - wasHeldBack: whether the gate was closed, so that being unsent says nothing of a device.
    init(
        _ batch: JournalBatch, _ answers: [Verdict], at now: Instant, isRightEnvironment: Bool, wasHeldBack: Bool
    ) {
        self.wasHeldBack = wasHeldBack
        var unsent: [TargetFailure] = []
        for (index, target) in batch.targets.enumerated() {
            let answer = index < answers.count ? answers[index] : .unknown("the sender gave no answer")
            switch answer {
            case .accepted: accepted += 1
            case .refused(.apple(let reason, let since)), .notSent(.apple(let reason, let since)):
                let ending = Self.ending(reason, since, target, at: now, isRightEnvironment: isRightEnvironment)
                if case .again = ending { lastReason = reason.explanation }
                add(TargetFailure(index: index, ending: ending, reason: reason.rawValue))
            case .refused(let proof), .notSent(let proof):
                lastReason = proof.explanation
                unsent.append(TargetFailure(index: index, ending: .again(after: now), reason: proof.explanation))
            case .unknown(let reason):
                lastReason = reason
                add(TargetFailure(index: index, ending: .inDoubt, reason: reason))
            }
        }
        // A device that never gets through while others do must not keep the delivery from its end.
        for failure in unsent {
            let isHopeless = isFruitful && !wasHeldBack && batch.targets[failure.index].attempts >= Self.mostReturns
            add(isHopeless ? TargetFailure(index: failure.index, ending: .refused, reason: "NotSent") : failure)
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
        _ reason: APNsReason, _ since: Int64?, _ target: JournalTarget, at now: Instant, isRightEnvironment: Bool
    ) -> TargetFailure.Ending {
        switch reason.row.decision {
        case .dropToken: return .dead(since: since.map { Instant(milliseconds: $0) })
        case .dropTokenIfEnvironmentIsRight: return isRightEnvironment ? .dead(since: nil) : .deadIfProven
        case .refuseToken: return .refused
        case .retry(let delay):
            guard target.attempts + 1 < mostTries else { return .refused }
            return .again(after: now + delay.pause(after: target.attempts + 1))
        case .renew, .reconnect: return target.attempts + 1 < mostTries ? .again(after: now) : .refused
        // The delivery stops or waits, and the device with it: it is not the device's fault.
        case .wait, .giveUp: return .again(after: now)
        }
    }
}
