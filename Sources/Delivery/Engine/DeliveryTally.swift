internal import DeviceRegistry
internal import Push

/// The progress of a delivery, with its rate.
struct DeliveryTally: Sendable {
    private var progress: DeliveryProgress
    /// Samples of the devices done over the last seconds; the first one starts the interval.
    private var recent: [(at: Duration, done: Int)] = []

    /// The interval over which the rate is measured.
    private static let span = Duration.seconds(10)

    /// Starts with the figures of earlier runs.
    init(_ figures: JournalFigures, at now: Duration) {
        progress = DeliveryProgress(targets: figures.targets)
        take(figures, at: now)
    }

    /// Takes over the journal's figures, including other senders' work.
    mutating func take(_ figures: JournalFigures, at now: Duration) {
        progress.accepted = figures.accepted
        progress.refused = figures.refused
        progress.inDoubt = figures.inDoubt
        note(at: now)
    }

    /// Adds a settled batch.
    mutating func add(_ settlement: BatchSettlement, at now: Duration) {
        progress.accepted += settlement.accepted
        progress.refused.merge(settlement.refused, uniquingKeysWith: +)
        progress.inDoubt += settlement.inDoubt
        note(at: now)
    }

    /// The progress at an instant.
    func progress(at now: Duration) -> DeliveryProgress {
        var progress = progress
        guard let first = recent.first, now > first.at, done > first.done else { return progress }
        progress.perSecond = Double(done - first.done) / ((now - first.at) / .seconds(1))
        if let targets = progress.targets {
            let seconds = Double(max(0, targets - done)) / progress.perSecond
            // A remaining time of years counts as unknown.
            if seconds < 1e9 { progress.remaining = .milliseconds(Int64((seconds * 1000).rounded())) }
        }
        return progress
    }

    private var done: Int { progress.accepted + progress.refused.values.reduce(0, +) + progress.inDoubt }

    private mutating func note(at now: Duration) {
        recent.append((now, done))
        while recent.count > 2, now - recent[1].at >= Self.span { recent.removeFirst() }
    }
}
