/// The ledger by campaign; of several entries of one delivery it keeps the one that counts.
struct CampaignHistory {
    private let ledger: [LedgerEntry]
    /// The start of the earliest delivery; nil when there is none.
    let began: Instant?
    /// The index of each delivery's entry in the ledger.
    private let places: [DeliveryID: Int]
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
        places = strongest
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

    /// The entry of a delivery; nil when there is none.
    func entry(of delivery: DeliveryID) -> LedgerEntry? { places[delivery].map { ledger[$0] } }

    /// The deliveries of the campaign with this name, by revision.
    func entries(named name: String) -> [LedgerEntry] { parts[name].map { order[$0].map { ledger[$0] } } ?? [] }
}
