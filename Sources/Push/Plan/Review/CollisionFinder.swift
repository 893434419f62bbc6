package import Base

/// Finds deliveries to the same devices that are too close to each other, in one sweep over their times.
///
/// The pairs are counted by kinds of audiences, so ten thousand sends at one instant take no longer than ten thousand
/// that are far apart.
struct CollisionFinder {
    let gap: Duration
    /// The maximum number of listed pairs; further ones are only counted.
    static let listed = 100
    /// The maximum number of listed devices to compare; lists beyond it may overlap.
    private static let comparedDevices = 1_000_000

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

/// The diagnostic about a delivery that is too close to others.
struct CollisionRemark {
    /// The campaign; empty for a push without a ledger entry.
    let name: String
    let standing: Standing
    /// The deliveries before it or at the same time, those with the most shared devices first.
    let others: [Other]
    let gap: Duration

    /// The state of a delivery in relation to the plan.
    enum Standing {
        /// The plan makes it.
        case planned
        /// The remote has it scheduled.
        case pending
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
        var distance: Reason {
            let label = Reason.Value.reason(CollisionRemark.label(name, standing))
            return apart == .zero ? Reason(.sameTime, label) : Reason(.after, .age(apart), label)
        }
    }

    /// The maximum number of others to name.
    private static let named = 3

    /// Returns a warning when some devices certainly get both, otherwise a note.
    func diagnostic(at range: SourceRange?) -> PlanDiagnostic {
        PlanDiagnostic(
            others.contains { $0.devices != nil } ? .warning : .note, .collision,
            sentence.also(Reason(.gap, .duration(gap))), at: range, help: Reason(.moveOrNarrow))
    }

    private var sentence: Reason {
        let label = Reason.Value.reason(Self.label(name, standing))
        if others.count == 1, let other = others.first {
            let distance = Reason.Value.reason(other.distance)
            guard let devices = other.devices else { return Reason(.mayGet, label, distance) }
            return Reason(devices == 1 ? .gets : .get, .count(devices), label, distance)
        }
        let named = others.prefix(Self.named).map { other in
            other.devices.map { Reason(.remarked, .reason(other.distance), .count($0)) } ?? other.distance
        }
        var names = Reason.joined(named, by: .both) ?? .verbatim("")
        if others.count > Self.named { names = Reason(.andMore, .reason(names), .count(others.count - Self.named)) }
        return Reason(others.contains { $0.devices != nil } ? .manyGet : .mayGet, label, .reason(names))
    }

    private static func label(_ campaign: String, _ standing: Standing) -> Reason {
        if campaign.isEmpty { return Reason(.stranger) }
        return switch standing {
        case .planned: .verbatim(campaign)
        case .pending: Reason(.pending, .text(campaign))
        case .delivered: Reason(.delivered, .text(campaign))
        }
    }
}

extension PlanDiagnostic {
    /// True for one about pairs that the calendar has as well; it has none with what was delivered before.
    package var isPairOfCalendar: Bool { code == .collision && !message.has(Reason.Note.delivered) }
}

/// The platforms and profile of an audience as small numbers, so that many audiences can be compared quickly.
struct AudienceKind {
    /// One bit per platform.
    let platforms: Int
    /// The number of the profile; nil for any.
    let profile: Int?

    /// Creates the kind of an audience; a profile without a number in `profiles` gets the next one.
    init(_ shape: AudienceShape, profiles: inout [String: Int]) {
        platforms = shape.platforms.reduce(0) { $0 | ($1 == .ios ? 1 : 2) }
        profile = shape.deviceProfile.map { name in
            let number = profiles[name] ?? profiles.count
            profiles[name] = number
            return number
        }
    }

    /// True if a device can be in both.
    func mayMeet(_ other: AudienceKind) -> Bool {
        guard platforms & other.platforms != 0 else { return false }
        guard let profile, let theirs = other.profile else { return true }
        return profile == theirs
    }
}

struct KindCounter {
    private var all = [0, 0, 0, 0]
    private var unprofiled = [0, 0, 0, 0]
    private var profiled: [Int: [Int]] = [:]

    mutating func count(_ kind: AudienceKind, by step: Int) {
        all[kind.platforms] += step
        if let profile = kind.profile {
            profiled[profile, default: [0, 0, 0, 0]][kind.platforms] += step
        } else {
            unprofiled[kind.platforms] += step
        }
    }

    /// Returns the number of audiences that can share a device with a kind.
    func count(compatibleWith kind: AudienceKind) -> Int {
        (1...3).filter { $0 & kind.platforms != 0 }.reduce(0) { sum, platforms in
            guard let profile = kind.profile else { return sum + all[platforms] }
            return sum + unprofiled[platforms] + (profiled[profile]?[platforms] ?? 0)
        }
    }
}

/// The facts about an audience that are known without asking a remote: enough to tell that two audiences share no
/// device.
struct AudienceShape: Hashable {
    var platforms: Set<Platform>
    /// The profile that all its devices have; nil for any, or none.
    var deviceProfile: String?
    /// The listed devices; empty without a list.
    var devices: Set<String>

    /// The shape of an audience about which nothing is known.
    static let unknown = AudienceShape(platforms: Set(Platform.allCases), deviceProfile: nil, devices: [])
}

extension AudienceShape {
    /// Creates the shape of a campaign's audience.
    init(_ audience: Audience, segments: [String: Segment]) {
        platforms = audience.possiblePlatforms(segments: segments)
        deviceProfile = audience.deviceProfile
        // The digits of an Apple token are case-insensitive.
        devices = Set(audience.platforms == [.ios] ? audience.devices.map { $0.lowercased() } : audience.devices)
        guard let condition = audience.joinedCondition(segments: segments) else { return }
        narrow(by: condition)
    }

    /// Creates the shape of a recorded request's audience; with nil, when the ledger does not hold the request, nothing
    /// is known.
    init(_ request: PushRequest?) {
        self = .unknown
        if let condition = request?.body["where"] { narrow(by: condition) }
        devices = Set((request?.body["device_ids"]?.array ?? []).compactMap(\.string))
    }

    /// Narrows the shape by the parts of a condition that all devices must satisfy; parts under other operators may
    /// hold for some devices only.
    private mutating func narrow(by condition: JSONValue) {
        if let type = condition["deviceType"] {
            let names = type.string.map { [$0] } ?? type["$in"]?.array?.compactMap(\.string)
            if let names { platforms.formIntersection(names.compactMap(Platform.init(rawValue:))) }
        }
        if let name = condition["deviceProfile"]?.string { deviceProfile = deviceProfile ?? name }
        for part in condition["$and"]?.array ?? [] { narrow(by: part) }
    }
}
