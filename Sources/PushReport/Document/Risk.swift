internal import Phrasebook

/// How closely a reviewer should look at an item, the closest first.
package enum Risk: Int, Hashable, Comparable, Sendable, CaseIterable {
    /// A rule holds it back.
    case blocked
    /// Nobody knows how it ended.
    case unknown
    /// It goes to everyone.
    case everyone
    /// It goes to very many.
    case large
    /// Nobody counted to how many it goes.
    case uncounted
    /// There is a warning about it.
    case warned
    /// It goes out at once.
    case now
    /// It goes out, or is taken back, later.
    case later
    /// Something is taken away.
    case removal
    /// Nothing out of the ordinary.
    case routine

    /// An audience of at least so many devices is worth a second look.
    static let largeAudience = 10_000

    /// Why to look at it, in a few words; nil where there is no reason besides what it does.
    var concern: Label? {
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
    /// The places of the items, the riskiest first; those that are alike in their order.
    var riskiestFirst: [Int] {
        indices.sorted { lhs, rhs in
            if Element.isRiskier(self[lhs], self[rhs]) { return true }
            return !Element.isRiskier(self[rhs], self[lhs]) && lhs < rhs
        }
    }
}

extension ReportDocument.Item {
    /// Whether it stands before another where the risky come first: by risk, then the larger audience.
    static func isRiskier(_ lhs: Self, _ rhs: Self) -> Bool {
        lhs.risk == rhs.risk ? lhs.devices > rhs.devices : lhs.risk < rhs.risk
    }
}
