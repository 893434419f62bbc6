internal import APNs
internal import DeviceRegistry

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
    /// Why a device was not sent to or its answer was lost, of the last of them.
    private(set) var lastReason: String?

    /// How often a device may come back unsent from batches in which others were answered.
    static let mostReturns = 20

    /// Whether Apple answered anything at all.
    private(set) var isAnswered = false

    /// Judges the answers of a batch.
    ///
    /// - Parameters:
    ///   - answers: in the order of the batch's devices; one that is missing counts as lost.
    ///   - isStopped: whether devices were held back, so that being unsent says nothing of them.
    init(_ batch: JournalBatch, _ answers: [SendAnswer], at now: Timestamp, isEnvironmentKnown: Bool, isStopped: Bool) {
        isAnswered = answers.contains { answer in
            switch answer {
            case .accepted, .refused: true
            case .notSent, .inDoubt: false
            }
        }
        for (index, target) in batch.targets.enumerated() {
            let answer = index < answers.count ? answers[index] : .inDoubt("the sender gave no answer")
            switch answer {
            case .accepted: accepted += 1
            case .refused(let refusal):
                let ending = refusal.ending(
                    attempts: target.attempts, at: now, isEnvironmentKnown: isEnvironmentKnown)
                add(TargetFailure(index: index, ending: ending, reason: refusal.reason))
            case .notSent(let reason):
                lastReason = reason
                let isHopeless = isAnswered && !isStopped && target.attempts >= Self.mostReturns
                add(TargetFailure(index: index, ending: isHopeless ? .refused : .again(after: now), reason: reason))
            case .inDoubt(let reason):
                lastReason = reason
                add(TargetFailure(index: index, ending: .inDoubt, reason: reason))
            }
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
}
