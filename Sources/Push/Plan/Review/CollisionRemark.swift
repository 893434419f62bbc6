package import Base

/// The diagnostic about a delivery that is too close to others.
struct CollisionRemark {
    /// The campaign; empty for a push without a ledger entry.
    let name: String
    let standing: Standing
    /// The deliveries before it or at the same time, those with the most shared devices first.
    let others: [Other]
    /// The minimum gap.
    let gap: Duration

    /// The state of a delivery in relation to the plan.
    enum Standing {
        /// The plan makes it.
        case planned
        /// The remote has it scheduled.
        case pending
        /// It has been sent.
        case delivered
    }

    /// Another delivery that is too close.
    struct Other {
        var name: String
        var standing: Standing
        var apart: Duration
        /// The number of devices that get both; nil when not counted.
        var devices: Int?

        /// `at the same time as a`, `20 min after the pending a`.
        var distance: Reason {
            let label = Reason.Value.reason(CollisionRemark.label(name, standing))
            return apart == .zero ? Reason(.sameTime, label) : Reason(.after, .age(apart), label)
        }
    }

    /// The maximum number of others to name.
    private static let named = 3

    /// Returns a warning when some devices certainly get both, otherwise a note.
    func diagnostic(at range: SourceRange?) -> PlanDiagnostic {
        PlanDiagnostic(
            others.contains { $0.devices != nil } ? .warning : .note, .collision,
            sentence.also(Reason(.gap, .duration(gap))), at: range, help: Reason(.moveOrNarrow))
    }

    private var sentence: Reason {
        let label = Reason.Value.reason(Self.label(name, standing))
        if others.count == 1, let other = others.first {
            let distance = Reason.Value.reason(other.distance)
            guard let devices = other.devices else { return Reason(.mayGet, label, distance) }
            return Reason(devices == 1 ? .gets : .get, .count(devices), label, distance)
        }
        let named = others.prefix(Self.named).map { other in
            other.devices.map { Reason(.remarked, .reason(other.distance), .count($0)) } ?? other.distance
        }
        var names = Reason.joined(named, by: .both) ?? .verbatim("")
        if others.count > Self.named { names = Reason(.andMore, .reason(names), .count(others.count - Self.named)) }
        return Reason(others.contains { $0.devices != nil } ? .manyGet : .mayGet, label, .reason(names))
    }

    private static func label(_ campaign: String, _ standing: Standing) -> Reason {
        if campaign.isEmpty { return Reason(.stranger) }
        return switch standing {
        case .planned: .verbatim(campaign)
        case .pending: Reason(.pending, .text(campaign))
        case .delivered: Reason(.delivered, .text(campaign))
        }
    }
}

extension PlanDiagnostic {
    /// True for one about pairs that the calendar has as well; it has none with what was delivered before.
    package var isPairOfCalendar: Bool { code == .collision && !message.has(Reason.Note.delivered) }
}
