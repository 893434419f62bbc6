package import Push

/// Finds the parts of devices while an audience is frozen, and counts them.
package struct PartFinder {
    /// The parts so far, in no order.
    private(set) var parts: [PartRow] = []
    private let division: AudienceDivision
    /// The index of each wave's part, by the wave's number.
    private var places: [Int: Int] = [:]
    private var waves: [[UInt8]: Wave] = [:]

    /// The wave of devices that report a zone.
    private struct Wave {
        /// The index of its part.
        let place: Int
        /// True when the zone is unknown.
        let isUnplaced: Bool
    }

    /// Devices report any text as their zone; so many names are remembered.
    private static let mostNames = 4096

    package init(_ division: AudienceDivision, openedAt now: Instant) {
        self.division = division
        let count =
            switch division {
            case .whole, .localTime: 0
            case .stages(let rollout, _): rollout.stages.count
            case .variants: VariantTest.rest
            }
        parts = (0..<count).map { PartRow(number: $0 + 1, opensAt: $0 == 0 ? now : nil) }
    }

    /// The variant that a device tests; nil when it is part of the rest, or everybody gets the same.
    package func arm(_ traits: DeviceTraits, token: [UInt8]) -> Int? {
        guard case .variants(let test, let buckets) = division else { return nil }
        return test.arm(ofBucket: buckets.bucket(of: traits.key(token)))
    }

    /// Counts a device and returns its part; 0 for an undivided audience.
    package mutating func place(_ traits: DeviceTraits, token: [UInt8], arm: Int?) -> Int {
        switch division {
        case .whole: return 0
        case .variants:
            let part = arm == nil ? VariantTest.rest : VariantTest.test
            parts[part - 1].devices += 1
            return part
        case .stages(let rollout, let buckets):
            let stage = rollout.stage(ofBucket: buckets.bucket(of: traits.key(token)))
            parts[stage - 1].devices += 1
            return stage
        case .localTime(let schedule):
            let wave = wave(traits.timeZone ?? [], of: schedule)
            parts[wave.place].add(isUnplaced: wave.isUnplaced)
            return parts[wave.place].number
        }
    }

    private mutating func wave(_ zone: [UInt8], of schedule: LocalSchedule) -> Wave {
        if let known = waves[zone] { return known }
        let own = schedule.wave(in: String(decoding: zone, as: UTF8.self))
        let number = schedule.number(of: own ?? schedule.fallback)
        let wave = Wave(place: places[number] ?? parts.count, isUnplaced: own == nil)
        if wave.place == parts.count {
            parts.append(PartRow(number: number, opensAt: schedule.opening(of: number)))
            places[number] = wave.place
        }
        if waves.count < Self.mostNames { waves[zone] = wave }
        return wave
    }
}

/// One part of a journal, without its devices.
struct PartRow {
    let number: Int
    var opensAt: Instant?
    var devices = 0
    /// The number of devices without a known time zone.
    var unplaced = 0
    /// The number of devices that waited for a retry when the part was closed.
    var missed = 0
    var closedAt: Instant?
    /// The verdict, as JSON.
    var verdict: String?

    fileprivate mutating func add(isUnplaced: Bool) {
        devices += 1
        if isUnplaced { unplaced += 1 }
    }
}

extension LocalSchedule {
    /// A little more than a zone's clocks can be ahead of the easternmost ones by a future rule, in seconds.
    private static let margin: Int64 = 3600

    private var base: Instant { first.instant - .seconds(Self.margin) }

    /// The number of a wave counts the minutes from the earliest possible one.
    fileprivate func number(of wave: Instant) -> Int { 1 + Int((wave - base).wholeSeconds / 60) }

    fileprivate func opening(of number: Int) -> Instant { base + .seconds(60 * (number - 1)) }
}
