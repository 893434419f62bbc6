internal import PushModel

/// The ledger, arranged by campaign: of several entries of one delivery, the one that counts.
struct CampaignHistory {
    private let byDelivery: [DeliveryID: LedgerEntry]
    private let byCampaign: [String: [LedgerEntry]]
    /// Every name under which the ledger knows a delivery.
    let names: Set<String>

    init(_ ledger: [LedgerEntry]) {
        var strongest: [DeliveryID: LedgerEntry] = [:]
        strongest.reserveCapacity(ledger.count)
        for entry in ledger {
            if let other = strongest[entry.delivery], !entry.outranks(other) { continue }
            strongest[entry.delivery] = entry
        }
        byDelivery = strongest
        byCampaign = Dictionary(grouping: strongest.values, by: \.campaign)
            .mapValues { $0.sorted { ($0.revision, $0.delivery) < ($1.revision, $1.delivery) } }
        names = Set(byCampaign.keys)
    }

    /// The deliveries of a campaign under any of its names, by revision.
    func entries(of campaign: Campaign) -> [LedgerEntry] {
        if campaign.formerly.isEmpty { return byCampaign[campaign.name] ?? [] }
        return campaign.names.flatMap { byCampaign[$0] ?? [] }
            .sorted { ($0.revision, $0.delivery) < ($1.revision, $1.delivery) }
    }

    /// The deliveries that were recorded under this name.
    func entries(named name: String) -> [LedgerEntry] { byCampaign[name] ?? [] }
}
