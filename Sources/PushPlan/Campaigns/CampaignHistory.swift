internal import PushModel

/// The ledger, arranged by campaign: of several entries of one delivery, the one that counts.
struct CampaignHistory {
    private let ledger: [LedgerEntry]
    /// When the first delivery of all was begun; nil: there is none.
    let began: Instant?
    /// Places in the ledger, by campaign, revision and delivery.
    private let order: [Int]
    /// Each campaign's part of the order.
    private let parts: [String: Range<Int>]

    init(_ ledger: [LedgerEntry]) {
        self.ledger = ledger
        began = ledger.lazy.map(\.intendedAt).min()
        var strongest: [DeliveryID: Int] = Dictionary(minimumCapacity: ledger.count)
        for place in ledger.indices {
            let delivery = ledger[place].delivery
            if let other = strongest[delivery], !ledger[place].outranks(ledger[other]) { continue }
            strongest[delivery] = place
        }
        // Entries are large: only what is compared is looked at.
        let order = strongest.values.sorted { one, other in
            if ledger[one].campaign != ledger[other].campaign { return ledger[one].campaign < ledger[other].campaign }
            return (ledger[one].revision, ledger[one].delivery) < (ledger[other].revision, ledger[other].delivery)
        }
        var parts: [String: Range<Int>] = Dictionary(minimumCapacity: order.count)
        var start = 0
        for end in order.indices.map({ $0 + 1 }) {
            let campaign = ledger[order[start]].campaign
            if end < order.count, ledger[order[end]].campaign == campaign { continue }
            parts[campaign] = start..<end
            start = end
        }
        self.order = order
        self.parts = parts
    }

    /// Every name under which the ledger knows a delivery.
    var names: some Collection<String> { parts.keys }

    /// The deliveries of a campaign under any of its names, by revision.
    func entries(of campaign: Campaign) -> [LedgerEntry] {
        if campaign.formerly.isEmpty { return entries(named: campaign.name) }
        return campaign.names.flatMap(entries(named:))
            .sorted { ($0.revision, $0.delivery) < ($1.revision, $1.delivery) }
    }

    /// The deliveries that were recorded under this name.
    func entries(named name: String) -> [LedgerEntry] { parts[name].map { order[$0].map { ledger[$0] } } ?? [] }
}
