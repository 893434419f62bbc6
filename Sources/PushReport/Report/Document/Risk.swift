/// The risk of an item, the highest first.
package enum Risk: Int, Hashable, Comparable, Sendable, CaseIterable {
    /// The change is blocked by a rule.
    case blocked
    /// The outcome is unknown.
    case unknown
    /// The push goes to everyone.
    case everyone
    /// The push goes to a large audience.
    case large
    /// The push goes to an audience that was not counted.
    case uncounted
    /// There is a warning about the document.
    case warned
    /// The push is sent at once.
    case now
    /// The push is sent or cancelled later.
    case later
    /// A resource is deleted.
    case removal
    /// Nothing out of the ordinary.
    case routine

    /// The number of devices from which an audience counts as large.
    static let largeAudience = 10_000

    /// The reason to look at it, in a few words; nil when there is none besides its action.
    var concern: Phrase? {
        switch self {
        case .blocked: .heldBack
        case .unknown: .personLooks
        case .everyone: .reachesEveryone
        case .large: .largeAudience
        case .uncounted: .uncounted
        case .warned: .warned
        case .now, .later, .removal, .routine: nil
        }
    }

    package static func < (lhs: Self, rhs: Self) -> Bool { lhs.rawValue < rhs.rawValue }
}

extension [ReportDocument.Item] {
    /// The indices of the items, the riskiest first; equal ones keep their order.
    var riskiestFirst: [Int] {
        indices.sorted { lhs, rhs in
            if Element.isRiskier(self[lhs], self[rhs]) { return true }
            return !Element.isRiskier(self[rhs], self[lhs]) && lhs < rhs
        }
    }
}

extension ReportDocument.Item {
    /// True if an item comes before another in the order of risk: by risk, then by the size of the audience.
    static func isRiskier(_ lhs: Self, _ rhs: Self) -> Bool {
        lhs.risk == rhs.risk ? lhs.devices > rhs.devices : lhs.risk < rhs.risk
    }
}
