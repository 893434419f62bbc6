internal import Base

/// The choice of a variant for the rest of a delivery under way, as the files name it.
///
/// They decide until the journal holds the choice: from then on the whole rest gets that variant, whatever they say.
struct VariantChoice {
    /// The delivery with the winner that the files name now.
    let entry: LedgerEntry
    /// The obstacle to a choice: the delivery has no such variant; nil: none.
    let block: Block?
    /// The test that waits for a choice; nil: there is none.
    private let standing: VariantStanding?

    /// Chooses for an open delivery; `winner` is what the files say, nil when nobody has chosen yet.
    init(_ entry: LedgerEntry, _ evidence: Evidence, winner: String?, _ wish: ResumeContext.Wish) {
        guard wish == .delivered, case .journal(let state) = evidence, let standing = state.standing,
            let request = entry.request, let open = request.choosing(nil)
        else {
            (self.entry, block, standing) = (entry, nil, nil)
            return
        }
        let chosen = request.choosing(winner)
        var entry = entry
        entry.request = chosen ?? open
        self.entry = entry
        self.standing = standing
        block = chosen == nil ? Self.isUnknown(winner ?? "", request.variants) : nil
    }

    /// The block of a campaign that names a winner before its delivery began.
    static let isTooEarly = Block(.winner, Reason(.winnerTooEarly))

    private static func isUnknown(_ name: String, _ variants: [String]) -> Block {
        Block(.winner, Reason(.noSuchVariant, .text(quoted(name)), .text(variants.joined(separator: ", "))))
    }

    /// True when nobody has chosen, and the rest gets nothing then.
    var isAbandoned: Bool {
        standing != nil && entry.request?.winner == nil
            && entry.request?.otherwise == VariantTest.Otherwise.abandonment
    }

    /// True for a look of what the rest may get.
    func shows(_ look: NotificationLook) -> Bool {
        guard let standing, let next = entry.request?.winner ?? entry.request?.otherwise else { return true }
        return look.variant == next || !standing.variants.contains { $0.name == next }
    }

    /// The line of a delivery whose rest goes on now, with each variant's figures; nil when it is about nothing else.
    func explanation(_ resumption: Resumption) -> Reason? {
        guard let standing, case .goOn(let state) = resumption else { return nil }
        let (figures, devices) = (Reason.Value.reason(standing.reason), Reason.Value.count(state.waiting))
        if let winner = entry.request?.winner { return Reason(.winnerForRest, .text(winner), devices, figures) }
        let end = Reason.Value.instant(standing.decideBy)
        return isAbandoned
            ? Reason(.noWinnerAbandoned, end, devices, figures)
            : Reason(.noWinnerForRest, end, devices, .text(entry.request?.otherwise ?? ""), figures)
    }
}
