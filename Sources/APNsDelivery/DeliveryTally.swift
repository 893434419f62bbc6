internal import DeviceRegistry
internal import PushModel

/// How far a delivery is, and how fast it goes.
struct DeliveryTally: Sendable {
    private var progress: DeliveryProgress
    /// How many devices were done when, of the last seconds; the first is where the time begins.
    private var recent: [(at: Duration, done: Int)] = []

    /// How long back the rate looks.
    private static let span = Duration.seconds(10)

    /// Begins with what earlier runs came to.
    init(_ figures: JournalFigures, at now: Duration) {
        progress = DeliveryProgress(targets: figures.targets)
        take(figures, at: now)
    }

    /// Takes over what the journal says, other senders' work included.
    mutating func take(_ figures: JournalFigures, at now: Duration) {
        progress.accepted = figures.accepted
        progress.refused = figures.refused
        progress.inDoubt = figures.inDoubt
        note(at: now)
    }

    /// Adds a batch that was settled.
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
            // Years are as good as not known.
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
