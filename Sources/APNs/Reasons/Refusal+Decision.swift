package import PushModel

extension Refusal {
    /// The documented reason, when Apple's word is one and came with its own status; nil: the answer proves nothing.
    package var knownReason: APNsReason? {
        APNsReason(word: reason).flatMap { $0.row.status == status ? $0 : nil }
    }

    /// What it says of a request that sends.
    package var verdict: Verdict {
        knownReason.map { .refused(.apple($0, since: timestamp)) } ?? .unknown(explanation)
    }

    /// What is wrong and what to do, one sentence without a final stop, with Apple's word in it.
    package var explanation: String {
        if let knownReason { return knownReason.explanation }
        let word = Self.printable(reason)
        return word.isEmpty || word == "HTTP \(status)"
            ? "Apple answered \(status) without a reason"
            : "Apple answered \(status) with the reason \(word), which this version does not know"
    }
}
