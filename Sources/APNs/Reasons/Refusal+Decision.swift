extension Refusal {
    /// The documented reason, when Apple's word is one and came with its own status.
    package var knownReason: APNsReason? {
        APNsReason(word: reason).flatMap { $0.row.status == status ? $0 : nil }
    }

    /// What is done about it: what the table says, else what the status does.
    ///
    /// A token is never dropped for a word that is not documented, unless Apple says since when it is dead.
    package var decision: ReasonDecision {
        if let knownReason { return knownReason.row.decision }
        switch status {
        case 400: return .refuseToken
        case 401, 403: return .giveUp(.credential)
        case 410: return timestamp == nil ? .refuseToken : .dropToken
        case 413: return .giveUp(.payload)
        case 429: return .retry(.tooManyRequests)
        case 500...599: return .retry(.serverError)
        default: return .giveUp(.request)
        }
    }

    /// What is wrong and what to do, one sentence without a final stop, with Apple's word in it.
    package var explanation: String {
        let word = Self.printable(reason)
        if let knownReason { return "\(word): \(knownReason.row.explanation)" }
        return word.isEmpty || word == "HTTP \(status)"
            ? "Apple answered \(status) without a reason"
            : "Apple answered \(status) with the reason \(word), which this version does not know"
    }

    /// A word that a server sent, fit for a terminal: printable ASCII, at most 100 characters.
    private static func printable(_ text: String) -> String {
        String(text.unicodeScalars.prefix(100).map { (" "..."~").contains($0) ? Character($0) : "?" })
    }
}
