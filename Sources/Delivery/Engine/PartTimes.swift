internal import DeviceRegistry
internal import Push

/// When the parts of one delivery are over.
struct PartTimes {
    private let job: DeliveryJob
    private let frozen: JournalFigures
    /// The time of the last outcome by part; 0 for an undivided audience.
    private var lastOutcomes: [Int: Instant] = [:]
    /// The parts that opened or will open at a known time, and are not closed.
    private var openings: [Int: Instant] = [:]

    init(_ job: DeliveryJob, _ figures: JournalFigures) {
        self.job = job
        frozen = figures
        lastOutcomes[0] = figures.lastOutcomeAt
        for part in figures.parts where !part.figures.isClosed {
            lastOutcomes[part.number] = part.figures.lastOutcomeAt
            openings[part.number] = part.opensAt
        }
    }

    /// Notes that devices of a part have their answers.
    mutating func note(_ now: Instant, of part: Int) { lastOutcomes[part] = now }

    /// Forgets a part that was closed.
    mutating func close(_ part: Int) { openings[part] = nil }

    /// The time from which nothing more of a part may be sent.
    func end(of part: Int, opensAt: Instant?) -> Instant {
        job.end(opensAt: opensAt, lastOutcome: lastOutcomes[part])
    }

    /// The parts whose time is over.
    func over(at now: Instant) -> [Int] {
        openings.filter { end(of: $0.key, opensAt: $0.value) <= now }.keys.sorted()
    }

    /// True if a part opens at this time.
    func opens(at time: Instant) -> Bool { openings.values.contains(time) }

    /// The reason nothing more of the delivery may be sent at an instant; nil when it may.
    func reasonItIsOver(at now: Instant) -> String? {
        var figures = frozen
        figures.lastOutcomeAt = lastOutcomes[0]
        return job.reasonItIsOver(at: now, figures)
    }
}
