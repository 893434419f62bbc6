package import Diagnostics
internal import PushModel

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
        var distance: String {
            let label = CollisionRemark.label(name, standing)
            return apart == .zero ? "at the same time as \(label)" : "\(apart.roundedText) after \(label)"
        }
    }

    /// The maximum number of others to name.
    private static let named = 3

    /// Returns a warning when some devices certainly get both, otherwise a note.
    func diagnostic(at range: SourceRange?) -> Diagnostic {
        Diagnostic(
            others.contains { $0.devices != nil } ? .warning : .note, .collision,
            sentence + "; minimumGap is \(gap.configurationText)", at: range,
            help: "move one of them or narrow an audience; 'minimumGap' in the policy sets how far apart they should be"
        )
    }

    private var sentence: String {
        let label = Self.label(name, standing)
        guard others.count > 1 else {
            let distance = others.first?.distance ?? ""
            guard let devices = others.first?.devices else { return "some devices may get \(label) \(distance)" }
            return "\(grouped(devices)) device\(devices == 1 ? " gets" : "s get") \(label) \(distance)"
        }
        let names = others.prefix(Self.named).map { other in
            other.distance + (other.devices.map { " (\(grouped($0)))" } ?? "")
        }
        let rest = others.count > Self.named ? " and \(grouped(others.count - Self.named)) more" : ""
        let who = others.contains { $0.devices != nil } ? "devices get" : "some devices may get"
        return "\(who) \(label) \(names.joined(separator: ", "))\(rest)"
    }

    fileprivate static let deliveredLabel = "the delivered "

    private static func label(_ campaign: String, _ standing: Standing) -> String {
        if campaign.isEmpty { return "a pending push that is not in the ledger" }
        return switch standing {
        case .planned: campaign
        case .pending: "the pending \(campaign)"
        case .delivered: deliveredLabel + campaign
        }
    }
}

extension Diagnostic {
    /// True for one about pairs that the calendar has as well; it has none with what was delivered before.
    package var isPairOfCalendar: Bool {
        code == .collision && !message.contains(" " + CollisionRemark.deliveredLabel)
    }
}
