/// Finds deliveries to the same devices that are too close to each other, in one sweep over their times.
///
/// The pairs are counted by kinds of audiences, so ten thousand sends at one instant take no longer than ten thousand
/// that are far apart.
struct CollisionFinder {
    /// The minimum gap.
    let gap: Duration
    /// The maximum number of listed pairs; further ones are only counted.
    static let listed = 100
    /// The maximum number of listed devices to compare; lists beyond it may overlap.
    private static let comparedDevices = 1_000_000

    /// The parts of a delivery that matter here.
    struct Delivery {
        var at: Instant
        /// The campaign; nil for a push without a ledger entry.
        var name: String?
        var id: DeliveryID?
        /// True if the remote already has it scheduled; a pair of two such deliveries does not concern this plan.
        var isPending = false
        var shape: AudienceShape
        var overlaps: [AudienceReview.Overlap] = []
    }

    /// A pair of deliveries, by index.
    struct Pair {
        var first: Int
        var second: Int
        /// The number of devices that get both; nil when not counted.
        var devices: Int?
    }

    /// Returns the pairs among deliveries sorted by time, those with counted devices first, and the number of further
    /// pairs.
    func pairs(among deliveries: [Delivery]) -> (pairs: [Pair], others: Int) {
        guard gap > .zero, deliveries.count > 1 else { return ([], 0) }
        var sweep = CollisionSweep(deliveries, comparedDevices: Self.comparedDevices, listed: Self.listed)
        for place in deliveries.indices {
            while deliveries[place].at - deliveries[sweep.start].at >= gap { sweep.leave() }
            sweep.enter(place)
        }
        let counted = sweep.counted.sorted {
            ($1.devices ?? 0, $0.first, $0.second) < ($0.devices ?? 0, $1.first, $1.second)
        }
        let pairs = Array((counted + sweep.possible).prefix(Self.listed))
        return (pairs, counted.count + sweep.possible.count + sweep.others - pairs.count)
    }
}

/// The sliding window of deliveries within a gap of the current one.
struct CollisionSweep {
    private let deliveries: [CollisionFinder.Delivery]
    private let kinds: [AudienceKind]
    private let listed: Int
    /// The index of the earliest delivery in the window.
    private(set) var start = 0
    /// The pairs with counted devices.
    private(set) var counted: [CollisionFinder.Pair] = []
    /// The first pairs that may share devices.
    private(set) var possible: [CollisionFinder.Pair] = []
    /// The number of further such pairs.
    private(set) var others = 0

    private var planned = KindCounter()
    private var pending = KindCounter()
    private var lists = KindCounter()
    private var namesakes: [String: [Int]] = [:]
    private var namedBy: [String: [(place: Int, devices: Int)]] = [:]
    private var listedDevices: [String: [Int]] = [:]
    private var devicesLeft: Int

    init(_ deliveries: [CollisionFinder.Delivery], comparedDevices: Int, listed: Int) {
        self.deliveries = deliveries
        self.listed = listed
        devicesLeft = comparedDevices
        var profiles: [String: Int] = [:]
        kinds = deliveries.map { AudienceKind($0.shape, profiles: &profiles) }
    }

    /// Removes the earliest delivery from the window.
    mutating func leave() {
        count(start, by: -1)
        start += 1
    }

    /// Adds the next delivery, and its pairs with those in the window.
    mutating func enter(_ place: Int) {
        let delivery = deliveries[place]
        let known = knownPairs(of: place)
        var compatible = planned.count(compatibleWith: kinds[place])
        if !delivery.isPending { compatible += pending.count(compatibleWith: kinds[place]) }
        if !comparesLists(place) { compatible += lists.count(compatibleWith: kinds[place]) }
        for (other, devices) in known.sorted(by: { $0.key < $1.key }) {
            if mayMeet(other, place) { compatible -= 1 }
            if devices > 0 { counted.append(CollisionFinder.Pair(first: other, second: place, devices: devices)) }
        }
        list(compatible, with: place, except: known)
        count(place, by: 1)
        if let name = delivery.name { namesakes[name, default: []].append(place) }
        for overlap in delivery.overlaps {
            namedBy[overlap.campaign, default: []].append((place, overlap.devices))
        }
        if comparesLists(place) {
            for device in delivery.shape.devices { listedDevices[device, default: []].append(place) }
        }
    }

    private mutating func count(_ place: Int, by step: Int) {
        if !deliveries[place].shape.devices.isEmpty {
            lists.count(kinds[place], by: step)
        } else if deliveries[place].isPending {
            pending.count(kinds[place], by: step)
        } else {
            planned.count(kinds[place], by: step)
        }
    }

    /// True if the list of devices is compared with other lists device by device.
    private func comparesLists(_ place: Int) -> Bool { devicesLeft > 0 && !deliveries[place].shape.devices.isEmpty }

    /// True if the kinds of two audiences do not exclude a shared device.
    private func mayMeet(_ first: Int, _ second: Int) -> Bool {
        if deliveries[first].isPending, deliveries[second].isPending { return false }
        if comparesLists(first), comparesLists(second) { return false }
        return kinds[first].mayMeet(kinds[second])
    }

    /// Returns the deliveries in the window with a known number of shared devices.
    private mutating func knownPairs(of place: Int) -> [Int: Int] {
        let delivery = deliveries[place]
        var known: [Int: Int] = [:]
        for overlap in delivery.overlaps {
            for other in namesakes[overlap.campaign] ?? [] where other >= start {
                known[other] = max(known[other] ?? 0, overlap.devices)
            }
        }
        if let name = delivery.name {
            namedBy[name]?.removeAll { $0.place < start }
            for (other, devices) in namedBy[name] ?? [] { known[other] = max(known[other] ?? 0, devices) }
            namesakes[name]?.removeAll { $0 < start }
            // A pending push and the change that would replace it are one delivery.
            for other in namesakes[name] ?? [] where deliveries[other].id == delivery.id { known[other] = 0 }
        }
        if comparesLists(place) { known.merge(sharedDevices(of: place)) { max($0, $1) } }
        return known
    }

    /// Returns the lists in the window that share devices with a list, and the number of these.
    private mutating func sharedDevices(of place: Int) -> [Int: Int] {
        var shared: [Int: Int] = [:]
        for device in deliveries[place].shape.devices {
            listedDevices[device]?.removeAll { $0 < start }
            let others = listedDevices[device] ?? []
            for other in others { shared[other, default: 0] += 1 }
            devicesLeft -= 1 + others.count
        }
        return shared
    }

    private mutating func list(_ number: Int, with place: Int, except known: [Int: Int]) {
        var left = number
        var other = place - 1
        while left > 0, other >= start, possible.count < listed {
            if known[other] == nil, mayMeet(other, place) {
                possible.append(CollisionFinder.Pair(first: other, second: place, devices: nil))
                left -= 1
            }
            other -= 1
        }
        others += max(0, left)
    }
}
