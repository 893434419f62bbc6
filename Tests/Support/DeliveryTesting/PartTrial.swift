internal import Base
internal import Delivery
package import DeviceRegistry
package import Push
internal import Synchronization

/// Deliveries in parts over a real store, whose runs are killed, joined and late: what must hold of each.
///
/// Every delivery has a clock and a workspace of its own, so that one registry of devices serves many.
package final class PartTrial: Sendable {
    /// A registered device.
    package struct Device: Sendable {
        package let token: String
        package let objectID: String
        /// The reported time zone; nil for none.
        package let zone: String?

        package init(token: String, objectID: String, zone: String?) {
            self.token = token
            self.objectID = objectID
            self.zone = zone
        }
    }

    /// The zones of devices: five waves, since those without a zone are in that of Asia/Shanghai.
    package static let zones: [String?] = [
        "Asia/Tokyo", "Asia/Shanghai", "Europe/Berlin", "America/New_York", "America/Los_Angeles", nil,
    ]

    /// One run of a delivery.
    package struct Round {
        /// The life of the run that holds the lock.
        package var life: Life
        /// The life of a run that joins; nil for none.
        package var helper: Life?
        /// The time until the next run, or by which that is late for the next part.
        package var pause: Duration

        package init(life: Life = Life(), helper: Life? = nil, pause: Duration = .seconds(60)) {
            self.life = life
            self.helper = helper
            self.pause = pause
        }
    }

    /// The division of a delivery.
    package enum Division: Sendable, CaseIterable {
        /// Five waves.
        case waves
        /// Three stages.
        case stages
        /// Two variants, and the rest, for which the runs name one winner after another.
        case variants
    }

    private let devices: [Device]
    private let store: Journal
    /// The clock of the delivery under way.
    private let current: Current

    private final class Current: Sendable {
        let clock = Mutex(FakeClock())
    }

    /// Creates a trial; `connect` opens the store under a clock, on which `devices` were seen at ``FakeClock/start``.
    package init(
        _ devices: [Device], connect: (@escaping @Sendable () -> Instant) async throws -> Journal
    ) async throws {
        self.devices = devices
        let current = Current()
        self.current = current
        store = try await connect { current.clock.withLock { $0 }.now }
    }

    private static let window = Duration.seconds(3600)

    private static let rollout = Rollout(
        stages: ["10%", "40%", "100%"].compactMap { Share($0) }, bake: .seconds(1800),
        stopWhen: .init(refused: Share("2%")), minimum: 0, window: window)

    private static let test = VariantTest(
        arms: [.init(name: "emoji", share: Share(parts: 1500)), .init(name: "plain", share: Share(parts: 2500))],
        decideBy: .seconds(3600), otherwise: .arm("plain"), window: window)

    private static func payload(_ text: String) -> JSONValue { ["aps": ["alert": .string(text)]] }

    private static func job(_ id: String, _ timing: DeliveryOrder.Timing) -> DeliveryJob {
        var order = DeliveryOrder.score(to: .condition(["deviceType": "ios"]))
        order.timing = timing
        order.variants = order.test?.arms.map { [payload($0.name)] } ?? []
        return DeliveryJob(id: id, workspace: id, order: order, start: FakeClock.start, window: window)
    }

    /// The job as a run has it: with no winner, or with one of the two in turn.
    private static func naming(_ number: Int, _ job: DeliveryJob) -> DeliveryJob {
        var (job, test) = (job, test)
        test.winner = [nil, "emoji", "plain"][number % 3]
        job.order.timing = .variants(test)
        return job
    }

    /// Carries out a delivery with runs until it ends, and returns what does not hold of it.
    ///
    /// `batchSize` is devices a batch; `mayMiss` is true when runs come too late for parts of it.
    package func violations(
        _ id: String, _ division: Division, batchSize: Int, mayMiss: Bool = false, rounds: (Int) -> Round
    ) async throws -> [String] {
        let clock = FakeClock()
        current.clock.withLock { $0 = clock }
        // 09:00 by the clocks, a day after the beginning.
        let morning = LocalSchedule(
            at: LocalTime(seconds: FakeClock.start.seconds / 86_400 * 86_400 + 86_400 + 9 * 3600),
            otherwise: "Asia/Shanghai", window: Self.window)
        let timing: DeliveryOrder.Timing =
            switch division {
            case .waves: .localTime(morning)
            case .stages: .stages(Self.rollout)
            case .variants: .variants(Self.test)
            }
        let job = Self.job(id, timing)
        let (apple, times) = (FakeApple(), Times())
        var kills = 0
        for number in 0..<3000 {
            let round = rounds(number)
            let ending = try await TrialRun(store: store, clock: clock, apple: apple, times: times)
                .carryOut(division == .variants ? Self.naming(number, job) : job, number, round, batchSize: batchSize)
            for life in [round.life, round.helper] where life?.isOver == true { kills += 1 }
            if case .ended(let figures) = ending {
                return try await complaints(
                    Seen(
                        job: job, figures: figures, apple: apple, times: times.all, kills: kills, batchSize: batchSize),
                    mayMiss: mayMiss, wave: { $0.flatMap { morning.wave(in: $0) } ?? morning.fallback }, division)
            }
            if case .interrupted(.postponed(_, let until?)) = ending { clock.advance(max(.zero, until - clock.now)) }
            clock.advance(round.pause)
        }
        return ["\(id) did not end"]
    }

    /// Carries out deliveries with a run that is killed at one of its acts, another one each time, until one outlives
    /// all; returns what does not hold.
    package func violations(killing division: Division, every step: Int) async throws -> [String] {
        for acts in stride(from: 0, to: 1000, by: step) {
            // It lives through several runs, and dies in one of them.
            let life = Life(acts: acts)
            let found = try await violations("acts-\(acts)", division, batchSize: 2) { _ in
                Round(life: life.isOver ? Life() : life)
            }
            if !found.isEmpty { return ["killed after \(acts) acts"] + found }
            if !life.isOver { return acts > 50 ? [] : ["only \(acts) acts"] }
        }
        return ["it never outlived its acts"]
    }

    /// Carries out two deliveries whose runs are killed at random acts and joined by others, the second with runs that
    /// are late for some of its parts; returns what does not hold.
    package func violations(
        disturbing division: Division, batchSize: Int, seed: UInt64
    ) async throws -> [String] {
        var found: [String] = []
        for mayMiss in [false, true] {
            var disturbance = Disturbance(devices: devices.count, mayBeLate: mayMiss, seed: seed)
            found += try await violations(
                "seed-\(seed)-\(mayMiss)", division, batchSize: batchSize, mayMiss: mayMiss
            ) { _ in disturbance.next() }
            if disturbance.kills == 0 { found.append("nothing was killed") }
        }
        return found
    }

    private struct Seen {
        let job: DeliveryJob
        let figures: JournalFigures
        let apple: FakeApple
        /// The times at which each device was about to be sent to.
        let times: [String: [Instant]]
        let kills: Int
        let batchSize: Int
    }

    private func complaints(
        _ seen: Seen, mayMiss: Bool, wave: (String?) -> Instant, _ division: Division
    ) async throws -> [String] {
        let (figures, received) = (seen.figures, seen.apple.received)
        var counted = figures
        if mayMiss {
            (counted.targets, counted.missed) = (figures.targets - figures.missed, 0)
        }
        var found = ExactlyOnce.violations(
            counted, received: received, kills: seen.kills, batchSize: seen.batchSize)
        func expect(_ holds: Bool, _ complaint: @autoclosure () -> String) {
            if !holds, found.count < 20 { found.append(complaint()) }
        }
        expect(figures.targets == devices.count, "\(figures.targets) of \(devices.count) devices were frozen")
        expect(
            figures.parts.reduce(0) { $0 + $1.figures.targets } == figures.targets, "the parts are not the audience")
        for part in figures.parts {
            let sum =
                part.figures.accepted + part.figures.refused.values.reduce(0, +) + part.figures.inDoubt
                + part.figures.missed
            expect(part.figures.targets == sum, "the figures of part \(part.number) do not add up: \(part.figures)")
        }
        var sends: [Instant: [Instant]] = [:]
        let openings = Dictionary(figures.parts.map { ($0.number, $0.opensAt) }) { one, _ in one }
        for (index, device) in devices.enumerated() where received[device.token] != nil {
            if index % (devices.count / 500 + 1) == 0 {
                let isReached = try await store.reached(device.objectID, by: seen.job.id)
                expect(isReached, "\(device.token) got it and is not in the reached set")
            }
            let sent = seen.times[device.token] ?? []
            let opening: Instant? =
                switch division {
                case .waves: wave(device.zone)
                case .stages: openings[stage(of: device, seen.job)] ?? nil
                case .variants: openings[arm(of: device, seen.job) == nil ? VariantTest.rest : VariantTest.test] ?? nil
                }
            if division == .variants {
                // Whatever the runs named, the first that was recorded counts for the whole rest.
                let name = arm(of: device, seen.job).map { Self.test.arms[$0].name } ?? figures.parts[0].verdict?.winner
                let words = Self.payload(name ?? "none").canonicalBytes
                expect(seen.apple.with { $0.bodies[device.token] } == words, "\(device.token) got another variant")
            }
            guard let opening else {
                expect(false, "\(device.token) got it in a part that never opened")
                continue
            }
            expect(sent.allSatisfy { $0 >= opening }, "\(device.token) got it at \(sent), before \(opening)")
            if let last = sent.last { sends[opening, default: []].append(last) }
        }
        for (opening, times) in sends {
            // A part may go on within its window after its last outcome, which is a little later than the request.
            var last = opening
            for time in times.sorted() {
                expect(time <= last + Self.window + .seconds(300), "a device of \(opening) got it late, at \(time)")
                last = time
            }
        }
        let reached =
            try await store.reach(
                of: [seen.job.id], since: nil,
                in: DeliveryAudience(
                    selection: .tokens(devices.map(\.token)),
                    routes: [DeliveryRoute(profile: "app", topic: "com.example.app", isDefault: true)]),
                at: FakeClock.start)[1] ?? 0
        expect(
            reached == figures.accepted + figures.inDoubt,
            "\(reached) devices are in the reached set, \(figures.accepted) were accepted, \(figures.inDoubt) in doubt")
        return found
    }

    /// The index of the variant that a device tests.
    private func arm(of device: Device, _ job: DeliveryJob) -> Int? {
        Self.test.arm(ofBucket: Buckets(salt: job.id).bucket(of: Array(device.objectID.utf8)))
    }

    private func stage(of device: Device, _ job: DeliveryJob) -> Int {
        Self.rollout.stage(ofBucket: Buckets(salt: job.id).bucket(of: Array(device.objectID.utf8)))
    }
}

/// Random runs of a delivery: killed at any act, joined by others, or late.
struct Disturbance {
    /// The number of runs that may have been killed.
    private(set) var kills = 0
    private let devices: Int
    private let mayBeLate: Bool
    private var random: SeededGenerator

    init(devices: Int, mayBeLate: Bool, seed: UInt64) {
        self.devices = devices
        self.mayBeLate = mayBeLate
        random = SeededGenerator(seed: seed)
    }

    /// The next run.
    mutating func next() -> PartTrial.Round {
        PartTrial.Round(
            life: life(), helper: Int.random(in: 0..<3, using: &random) == 0 ? life() : nil,
            pause: mayBeLate && Int.random(in: 0..<12, using: &random) == 0
                ? .seconds(Int.random(in: 1800...20_000, using: &random)) : .seconds(60))
    }

    private mutating func life() -> Life {
        guard Int.random(in: 0..<3, using: &random) > 0 else { return Life() }
        kills += 1
        return Life(acts: Int.random(in: 0...devices / 6, using: &random))
    }
}
