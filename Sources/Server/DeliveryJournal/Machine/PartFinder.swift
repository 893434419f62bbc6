package import PushModel

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
        guard case .stages(let rollout, _) = division else { return }
        parts = (1...rollout.stages.count).map { PartRow(number: $0, opensAt: $0 == 1 ? now : nil) }
    }

    /// Counts a device and returns its part; 0 for an undivided audience.
    package mutating func place(_ trait: [UInt8]?, token: [UInt8]) -> Int {
        switch division {
        case .whole: return 0
        case .stages(let rollout, let buckets):
            // A device that is not registered has nothing but its token.
            let key = trait ?? Array(String(decoding: token, as: UTF8.self).lowercased().utf8)
            let stage = rollout.stage(ofBucket: buckets.bucket(of: key))
            parts[stage - 1].devices += 1
            return stage
        case .localTime(let schedule):
            let wave = wave(trait ?? [], of: schedule)
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
