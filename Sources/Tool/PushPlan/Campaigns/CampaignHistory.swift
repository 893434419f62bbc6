internal import PushModel

/// The ledger by campaign; of several entries of one delivery it keeps the one that counts.
struct CampaignHistory {
    private let ledger: [LedgerEntry]
    /// The start of the earliest delivery; nil when there is none.
    let began: Instant?
    /// Indices into the ledger, sorted by campaign, revision and delivery.
    private let order: [Int]
    /// The range of each campaign in the order.
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
        // Entries are large, so only the compared fields are read.
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

    /// All campaign names in the ledger.
    var names: some Collection<String> { parts.keys }

    /// The deliveries of a campaign under any of its names, by revision.
    func entries(of campaign: Campaign) -> [LedgerEntry] {
        if campaign.formerly.isEmpty { return entries(named: campaign.name) }
        return campaign.names.flatMap(entries(named:))
            .sorted { ($0.revision, $0.delivery) < ($1.revision, $1.delivery) }
    }

    /// The deliveries recorded under this name.
    func entries(named name: String) -> [LedgerEntry] { parts[name].map { order[$0].map { ledger[$0] } } ?? [] }
}
