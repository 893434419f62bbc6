internal import DeviceRegistry
internal import PushModel
internal import PushRemote

/// How far a delivery is, and how fast it goes.
struct DeliveryTally: Sendable {
    private var progress: DeliveryProgress
    /// Answers and when they came, of the last seconds.
    private var recent: [(at: Duration, count: Int)] = []

    /// How long back the rate looks.
    private static let span = Duration.seconds(10)

    /// Begins with what earlier runs came to.
    init(_ figures: JournalFigures, at now: Duration) {
        progress = DeliveryProgress(targets: figures.targets)
        recent = [(now, 0)]
        take(figures)
    }

    /// Takes over what the journal says, other senders' work included.
    mutating func take(_ figures: JournalFigures) {
        progress.accepted = figures.accepted
        progress.refused = figures.refused
        progress.inDoubt = figures.inDoubt
    }

    /// Adds a batch that was settled.
    mutating func add(_ settlement: BatchSettlement, at now: Duration) {
        progress.accepted += settlement.accepted
        progress.refused.merge(settlement.refused, uniquingKeysWith: +)
        progress.inDoubt += settlement.inDoubt
        recent.append((now, settlement.accepted + settlement.refused.values.reduce(0, +) + settlement.inDoubt))
        // The first one left is where the time begins: what it counts came before.
        while recent.count > 2, now - recent[1].at >= Self.span { recent.removeFirst() }
    }

    /// The progress at an instant.
    func progress(at now: Duration) -> DeliveryProgress {
        var progress = progress
        guard let first = recent.first, now > first.at else { return progress }
        let count = recent.dropFirst().reduce(0) { $0 + $1.count }
        progress.perSecond = Double(count) / ((now - first.at) / .seconds(1))
        let done = progress.accepted + progress.refused.values.reduce(0, +) + progress.inDoubt
        if progress.perSecond > 0, let targets = progress.targets {
            progress.remaining = .milliseconds(
                Int64((Double(max(0, targets - done)) * 1000 / progress.perSecond).rounded()))
        }
        return progress
    }
}
