internal import Diagnostics
internal import PushModel

/// What there is to say of one delivery that comes too close to others.
struct CollisionRemark {
    /// The campaign; empty: a push that no ledger entry speaks of.
    let name: String
    let standing: Standing
    /// Those that come before it, or at the same time, the most shared devices first.
    let others: [Other]
    /// How far apart they should be.
    let gap: Duration

    /// Whose matter a delivery is.
    enum Standing {
        /// The plan's.
        case planned
        /// The remote's, which keeps it for later.
        case pending
        /// Nobody's any more.
        case delivered
    }

    /// A delivery that it comes too close to.
    struct Other {
        var name: String
        var standing: Standing
        var apart: Duration
        /// Devices that get both; nil: not counted.
        var devices: Int?

        /// `at the same time as a`, `20 min after the pending a`.
        var distance: String {
            let label = CollisionRemark.label(name, standing)
            return apart == .zero ? "at the same time as \(label)" : "\(apart.roundedText) after \(label)"
        }
    }

    /// So many others are named.
    private static let named = 3

    /// A warning when it is known that devices get both, else a note.
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

    private static func label(_ campaign: String, _ standing: Standing) -> String {
        if campaign.isEmpty { return "a pending push that is not in the ledger" }
        return switch standing {
        case .planned: campaign
        case .pending: "the pending \(campaign)"
        case .delivered: "the delivered \(campaign)"
        }
    }
}
