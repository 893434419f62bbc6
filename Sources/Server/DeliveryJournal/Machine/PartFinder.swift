package import PushModel

/// Finds the parts of devices while an audience is frozen, and counts them.
package struct PartFinder {
    /// The parts so far, by number.
    private(set) var parts: [Int: PartRow] = [:]
    private let division: AudienceDivision
    private var waves: [String: Wave] = [:]

    /// The wave of devices that report a zone.
    private struct Wave {
        let number: Int
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
        for part in 0..<count { parts[part + 1] = PartRow(number: part + 1, opensAt: part == 0 ? now : nil) }
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
            parts[part]?.devices += 1
            return part
        case .stages(let rollout, let buckets):
            let stage = rollout.stage(ofBucket: buckets.bucket(of: traits.key(token)))
            parts[stage]?.devices += 1
            return stage
        case .localTime(let schedule):
            let wave = wave(traits.timeZone ?? "", of: schedule)
            parts[wave.number, default: PartRow(number: wave.number, opensAt: schedule.opening(of: wave.number))].add(
                isUnplaced: wave.isUnplaced)
            return wave.number
        }
    }

    private mutating func wave(_ zone: String, of schedule: LocalSchedule) -> Wave {
        if let known = waves[zone] { return known }
        let own = schedule.wave(in: zone)
        let wave = Wave(number: schedule.number(of: own ?? schedule.fallback), isUnplaced: own == nil)
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
