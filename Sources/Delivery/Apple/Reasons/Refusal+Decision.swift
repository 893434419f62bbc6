package import Push

extension Refusal {
    /// The documented reason, if Apple's word is one and came with its own status; with nil the answer proves nothing.
    package var knownReason: APNsReason? {
        APNsReason(word: reason).flatMap { $0.row.status == status ? $0 : nil }
    }

    /// The verdict on a send request that was refused like this.
    package var verdict: Verdict {
        knownReason.map { .refused(.apple($0, since: timestamp)) } ?? .unknown(explanation)
    }

    /// One sentence without a full stop: what is wrong and what to do, including Apple's word.
    package var explanation: String {
        if let knownReason { return knownReason.explanation }
        let word = Self.printable(reason)
        return word.isEmpty || word == "HTTP \(status)"
            ? "Apple answered \(status) without a reason"
            : "Apple answered \(status) with the reason \(word), which this version does not know"
    }
}
