import Base
import DeliveryTesting
import Foundation
import Push
import Synchronization
import Testing

@testable import Delivery
@testable import DeviceRegistry

/// Deliveries in parts, over a registry's file: waves by local time, stages by verdict.
@Suite struct PartTests {
    /// The time at which each device was sent to.
    private final class Times: Sendable {
        private let sent = Mutex<[String: [Instant]]>([:])

        func note(_ target: SendTarget, _ now: Instant) { sent.withLock { $0[target.token, default: []].append(now) } }

        var all: [String: [Instant]] { sent.withLock { $0 } }
    }

    /// 09:00 on the day after the clock begins.
    private static let morning = LocalSchedule(
        at: LocalTime(seconds: FakeClock.start.seconds / 86_400 * 86_400 + 33 * 3600), otherwise: "Asia/Shanghai")

    private static let rollout = Rollout(
        stages: ["10%", "40%", "100%"].compactMap { Share($0) }, bake: .seconds(1800),
        stopWhen: .init(refused: Share("2%"), deadTokens: Share("15%"), inDoubt: Share("1%")), minimum: 50,
        window: .seconds(3 * 3600))

    /// A registry of seeded devices; `count` of them, at most 1,000.
    private func site(_ count: Int = 1000, _ apple: FakeApple = FakeApple()) async throws -> Site {
        let site = try Site(apple)
        _ = try await site.registry.seed(devices: count, at: FakeClock.start)
        return site
    }

    private func register(_ fields: JSONObject, _ site: Site) async throws {
        _ = try await site.registry.create(fields, in: .installation, as: .master, at: site.clock.now)
    }

    /// The wave of each device, by its token.
    private func waves(_ site: Site) async throws -> [String: Instant] {
        let query = ObjectQuery(where: ["deviceType": "ios"], limit: 1000)
        let devices = try await site.registry.find(query, in: .installation, as: .master).results
        return devices.reduce(into: [:]) { waves, device in
            guard let token = device["deviceToken"]?.string else { return }
            waves[token] = device["timeZone"]?.string.flatMap(Self.morning.wave) ?? Self.morning.fallback
        }
    }

    /// Runs a delivery again and again, with pauses, until it ends.
    private func deliver(
        _ site: Site, _ job: DeliveryJob, _ times: Times = Times()
    ) async throws -> DeliveryEnding {
        for round in 0..<400 {
            let ending = try await site.run("run\(round)", Life(), job) { times.note($0, site.clock.now) }
            switch ending {
            case .ended, .interrupted(.judged): return ending
            case .nothingSent, .interrupted: site.clock.advance(.seconds(900))
            }
        }
        throw RegistryError(.other, "it did not end")
    }

    // MARK: Local time

    @Test func eachDeviceIsSentToWhenItsOwnClockShowsTheTime() async throws {
        let (site, times) = (try await site(), Times())
        let job = site.job(.localTime(Self.morning), window: .seconds(3600), expiration: .after(.seconds(7200)))
        let figures = try #require(try await deliver(site, job, times).figures)
        #expect(ExactlyOnce.violations(figures, received: site.apple.received, kills: 0) == [])
        #expect(figures.parts.count == 5 && figures.parts.reduce(0) { $0 + $1.figures.targets } == figures.targets)
        let waves = try await waves(site)
        for (token, sent) in times.all {
            let wave = try #require(waves[token])
            #expect(sent.count == 1 && sent[0] >= wave && sent[0] <= wave + .seconds(3600))
        }
        // An expiration counts from each wave, in whole seconds.
        let expirations = site.apple.with { Set($0.notifications.compactMap(\.expiration)) }
        #expect(expirations == Set(waves.values.map { ($0 + .seconds(7200)).seconds }))
    }

    @Test func aDeviceWithoutAKnownZoneIsSentToByTheZoneForTheOthersAndCounted() async throws {
        let site = try Site()
        let zones: [String?] = ["Asia/Tokyo", "Mars/Olympus", "", String(repeating: "z", count: 100), nil]
        for (index, zone) in zones.enumerated() {
            var fields: JSONObject = [
                "deviceType": "ios", "deviceToken": .string("ab\(10 + index)"), "deviceProfile": "app",
            ]
            fields["timeZone"] = zone.map { .string($0) }
            try await register(fields, site)
        }
        let job = site.job(.localTime(Self.morning), window: .seconds(3600))
        let figures = try #require(try await deliver(site, job).figures)
        #expect(figures.parts.map(\.figures.targets) == [1, 4] && figures.parts.map(\.unplaced) == [0, 4])
        #expect(figures.accepted == 5)
    }

    @Test func aWaveWhoseWindowHasPassedIsMissedAndNotMovedToTheNextDay() async throws {
        let (site, times) = (try await site(), Times())
        let job = site.job(.localTime(Self.morning), window: .seconds(3600))
        let waves = try await waves(site)
        let tokyo = try #require(waves.values.min())
        // Frozen before the first wave; then nothing runs until the first two are over.
        _ = try await site.run("early", Life(), job)
        site.clock.advance(tokyo + .seconds(3 * 3600) - site.clock.now)
        let figures = try #require(try await deliver(site, job, times).figures)
        let late = Set(waves.filter { $0.value <= tokyo + .seconds(3600) }.keys)
        #expect(figures.missed == figures.parts.prefix(2).reduce(0) { $0 + $1.figures.targets } && figures.missed > 0)
        #expect(figures.targets == figures.accepted + figures.missed)
        #expect(late.isDisjoint(with: times.all.keys))
    }

    @Test func aStopBetweenTwoWavesHoldsTheLaterOnesUntilItIsLifted() async throws {
        let site = try await site()
        let job = site.job(.localTime(Self.morning), window: .seconds(3600))
        let opens = Set(try await waves(site).values).sorted()
        func run(_ name: String, in wave: Int) async throws -> DeliveryEnding {
            site.clock.advance(opens[wave] + .seconds(60) - site.clock.now)
            return try await site.run(name, Life(), job)
        }
        _ = try await site.run("early", Life(), job)
        _ = try await run("first", in: 0)
        let sent = site.apple.requests
        #expect(sent > 0)
        let order = StopOrder(
            key: job.id, title: "one@1", by: "mina on mac", at: site.clock.now, why: "wrong link")
        try await site.store.stop(order, in: job.workspace)
        #expect(try await run("second", in: 1) == .interrupted(.stopped(order)))
        #expect(site.apple.requests == sent)
        try await site.store.lift(order, in: job.workspace)
        _ = try await site.run("third", Life(), job)
        #expect(site.apple.requests > sent)
        #expect(site.apple.received.values.allSatisfy { $0 == 1 })
    }

    @Test func aTravellerStaysInTheWaveThatWasFrozen() async throws {
        let (site, times) = (try Site(), Times())
        let fields: JSONObject = [
            "deviceType": "ios", "deviceToken": "ab", "deviceProfile": "app", "timeZone": "America/Los_Angeles",
        ]
        try await register(fields, site)
        let job = site.job(.localTime(Self.morning), window: .seconds(3600))
        _ = try await site.run("early", Life(), job)
        var moved = fields
        moved["timeZone"] = "Asia/Tokyo"
        try await register(moved, site)
        let figures = try #require(try await deliver(site, job, times).figures)
        let wave = try #require(ZoneClock("America/Los_Angeles")).firstInstant(showing: Self.morning.at)
        #expect(figures.accepted == 1 && figures.parts.map(\.opensAt) == [wave])
        #expect(try #require(times.all["ab"]?.first) >= wave)
    }

    /// Runs a delivery again and again until it ends, while a service has had enough for its day; returns when that ends.
    private func deliverAcrossMidnight(
        _ site: Site, _ job: DeliveryJob, _ isOver: Flag, _ times: Times
    ) async throws -> (figures: JournalFigures, midnight: Instant) {
        var midnight: Instant?
        for round in 0..<400 {
            let ending = try await site.run("run\(round)", Life(), job) { times.note($0, site.clock.now) }
            if case .ended(let figures) = ending { return (figures, try #require(midnight)) }
            if midnight == nil { midnight = try await site.store.journal(of: job.id)?.waitsUntil }
            site.clock.advance(.seconds(900))
            if let midnight, site.clock.now >= midnight { isOver.lower() }
        }
        throw RegistryError(.other, "it did not end")
    }

    /// A service that takes so many devices, and no more before `isOver` is lowered.
    private static func service(taking most: Int, _ isOver: Flag) -> FakeApple {
        FakeApple { _, request in request > most && isOver.isRaised ? .usedUp : .accept }
    }

    @Test func whatAServiceTakesInADayWaitsInItsWaveWhateverTheWindow() async throws {
        let (isOver, times) = (Flag(), Times())
        isOver.raise()
        let site = try await site(1000, Self.service(taking: 100, isOver))
        let job = site.job(.localTime(Self.morning), window: .seconds(3600))
        let (figures, midnight) = try await deliverAcrossMidnight(site, job, isOver, times)
        #expect(figures.missed == 0 && figures.accepted == figures.targets, "\(figures)")
        let waves = try await waves(site)
        #expect(site.apple.received.values.allSatisfy { $0 == 1 })
        for (token, sent) in times.all {
            // Each got it within an hour of its own time, or of that of its service.
            let (wave, last) = (try #require(waves[token]), try #require(sent.last))
            #expect(
                (wave...wave + .seconds(3600)).contains(last) || (midnight...midnight + .seconds(3600)).contains(last))
        }
    }

    @Test func aStageWhoseServiceHasHadEnoughForTodayIsJudgedOnceItHasGoneOn() async throws {
        let (isOver, times) = (Flag(), Times())
        isOver.raise()
        let site = try await site(1000, Self.service(taking: 60, isOver))
        let job = site.job(.stages(Self.rollout), window: .seconds(600))
        let (figures, midnight) = try await deliverAcrossMidnight(site, job, isOver, times)
        #expect(figures.missed == 0 && figures.accepted == figures.targets, "\(figures)")
        #expect(figures.parts.map { $0.verdict?.decision } == [.go, .go, nil])
        #expect(figures.parts.dropFirst().allSatisfy { $0.opensAt.map { $0 >= midnight } ?? false })
        #expect(site.apple.received.values.allSatisfy { $0 == 1 })
    }

    @Test func pastItsWindowOnlyThoseOfAWaveWhoWereAskedToWaitGetIt() async throws {
        let site = try await site()
        let job = site.job(.localTime(Self.morning), window: .seconds(3600))
        let tokyo = try #require(try await waves(site).values.min())
        _ = try await site.run("early", Life(), job, batchSize: 10)
        site.clock.advance(tokyo + .seconds(60) - site.clock.now)
        // Some are asked to wait for hours; the others are not tried before the window is over.
        let (lease, later) = (try await site.lease("first"), tokyo + .seconds(6 * 3600))
        guard case .batch(let batch) = try await site.store.claim(from: job.id, by: "first", under: lease) else {
            Issue.record("nothing is left to claim")
            return
        }
        #expect(batch.opensAt == tokyo)
        let waits = batch.targets.indices.map {
            TargetFailure(index: $0, ending: .again(after: later), reason: "vivo:10070")
        }
        _ = try await site.store.settle(batch, waits, under: lease)
        site.clock.advance(later + .seconds(60) - site.clock.now)
        _ = try await site.run("second", Life(), job)
        let wave = try #require(try await site.store.journal(of: job.id)?.parts.first).figures
        #expect(wave.accepted == batch.targets.count && wave.waiting == 0, "\(wave)")
        #expect(wave.missed == wave.targets - wave.accepted && wave.missed > 0, "\(wave)")
        #expect(site.apple.received.count == batch.targets.count)
    }

    @Test func whoeverIsInDoubtIsSentToAgainInTheTimeOfItsOwnWaveOnly() async throws {
        // The answers of both waves are lost.
        let (site, times) = (try Site(FakeApple { _, request in request <= 2 ? .lost : .accept }), Times())
        for (token, zone) in [("aa", "Asia/Tokyo"), ("bb", "America/Los_Angeles")] {
            let fields: JSONObject = [
                "deviceType": "ios", "deviceToken": .string(token), "deviceProfile": "app", "timeZone": .string(zone),
            ]
            try await register(fields, site)
        }
        var job = site.job(.localTime(Self.morning), window: .seconds(3600))
        (job.order.collapseID, job.order.resendsDoubtful) = ("score", true)
        let figures = try #require(try await deliver(site, job, times).figures)
        #expect(figures.parts.map(\.figures.inDoubt) == [1, 0] && figures.parts.map(\.figures.accepted) == [0, 1])
        #expect(times.all.mapValues(\.count) == ["aa": 1, "bb": 2])
    }

    // MARK: Stages

    @Test func aStageOpensByTheVerdictOnTheOneBeforeAndAfterItsBake() async throws {
        let (site, times) = (try await site(), Times())
        // It began late: each stage has its whole window all the same.
        let job = site.job(.stages(Self.rollout), window: .seconds(600))
        let figures = try #require(try await deliver(site, job, times).figures)
        #expect(ExactlyOnce.violations(figures, received: site.apple.received, kills: 0) == [])
        #expect(figures.parts.map { $0.verdict?.decision } == [.go, .go, nil])
        #expect(
            figures.parts.map { $0.verdict?.answers.accepted ?? 0 }.prefix(2)
                == figures.parts.map(\.figures.accepted).prefix(2))
        let openings = figures.parts.compactMap(\.opensAt)
        for (part, next) in zip(figures.parts, openings.dropFirst()) {
            let last = try #require(part.figures.lastOutcomeAt)
            #expect(next >= last + Self.rollout.bake)
        }
        // Each device is sent to within its own stage.
        let stages = try await stages(site)
        for (token, sent) in times.all {
            let stage = try #require(stages[token])
            #expect(sent[0] >= openings[stage - 1] && (stage == 3 || sent[0] < openings[stage]))
        }
    }

    /// The stage of each device, by its token.
    private func stages(_ site: Site) async throws -> [String: Int] {
        try await devices(site).reduce(into: [:]) { $0[$1.token] = $1.stage }
    }

    private func devices(_ site: Site) async throws -> [(token: String, id: String, stage: Int)] {
        let query = ObjectQuery(where: ["deviceType": "ios"], limit: 1000)
        let buckets = Buckets(salt: World.delivery)
        return try await site.registry.find(query, in: .installation, as: .master).results.compactMap {
            guard let token = $0["deviceToken"]?.string, let id = $0["objectId"]?.string else { return nil }
            return (token, id, Self.rollout.stage(ofBucket: buckets.bucket(of: Array(id.utf8))))
        }
    }

    @Test func aStageWhoseRefusalsPassTheLimitHaltsBeforeTheNextOpensAndProceedGoesOn() async throws {
        let refusing = try await site(
            1000, FakeApple { _, request in request <= 5 ? .refuse(410, "Unregistered") : .accept })
        var rollout = Self.rollout
        rollout.stopWhen.deadTokens = Share("1%")
        let job = refusing.job(.stages(rollout), window: .seconds(3 * 3600))
        let verdict = try #require(try await deliver(refusing, job).stopWhileSending?.verdict)
        #expect(verdict.decision == .halt && verdict.stage == 1 && verdict.answers.deadTokens == 5)
        #expect(verdict.rule.text.hasPrefix("deadTokens is 5 of "))
        let figures = try #require(try await refusing.store.journal(of: job.id))
        #expect(figures.parts.map { $0.opensAt != nil } == [true, false, false])
        #expect(refusing.apple.requests == figures.parts[0].figures.targets)
        // Nothing more is sent until a person decides.
        #expect(try await refusing.run("again", Life(), job) == .interrupted(.judged(verdict)))
        #expect(refusing.apple.requests == figures.parts[0].figures.targets)
        var decision = verdict
        (decision.decision, decision.rule) = (.proceed, .verbatim("these were test devices"))
        try await refusing.store.judge(job.id, decision, under: try await refusing.lease("person"))
        let end = try #require(try await deliver(refusing, job).figures)
        #expect(ExactlyOnce.violations(end, received: refusing.apple.received, kills: 0) == [])
        #expect(end.parts.map { $0.verdict?.decision } == [.proceed, .go, nil])
    }

    /// A service with few devices, all of them refused, is 2 % of the stage.
    @Test func aStageIsJudgedByEachServiceAlone() {
        var rollout = Self.rollout
        rollout.stopWhen.refused = Share("5%")
        let figures = JournalFigures(targets: 1000, accepted: 980, refused: ["INVALID_ARGUMENT": 20])
        var stage = JournalPart(number: 1, opensAt: FakeClock.start, figures: figures)
        stage.profiles = [
            "app": JournalFigures(targets: 980, accepted: 980),
            "android": JournalFigures(targets: 20, refused: ["INVALID_ARGUMENT": 20]),
        ]
        func verdict(_ vendor: PushVendor) -> StageVerdict {
            let routes = [("app", PushVendor.apns), ("android", vendor)].map { profile, vendor in
                DeliveryOrder.Route(
                    profile: profile, vendor: vendor, topic: profile, apnsTopic: profile, isDefault: true)
            }
            return rollout.verdict(on: stage, StageVerdict.Answers(figures), routes: routes, at: FakeClock.start)
        }
        #expect(verdict(.apns).decision == .go)
        #expect(verdict(.fcm).decision == .halt)
        #expect(verdict(.fcm).rule.text.hasPrefix("FCM: refused is 20 of 20"), "\(verdict(.fcm).rule.text)")
    }

    @Test(arguments: [(0, StageVerdict.Decision.halt), (20, .go)])
    func aStageIsJudgedByThoseWhoOpenedItWhileItBaked(opened: Int, decision: StageVerdict.Decision) async throws {
        let site = try await site()
        var rollout = Self.rollout
        rollout.stopWhen = .init(opened: Rollout.Floor(below: try #require(Share("10%"))))
        var job = site.job(.stages(rollout), window: .seconds(3 * 3600))
        job.order.eventsKept = .seconds(86_400)
        #expect(try await site.run("first", Life(), job).stopWhileSending?.kind == "postponed")
        let devices = try await devices(site).filter { site.apple.received[$0.token] != nil }
        let events = devices.prefix(opened).map {
            DeviceEvent(delivery: job.id, installation: $0.id, kind: .opened)
        }
        #expect(
            try await site.store.record(events, knowing: ReachedIndex()).allSatisfy { $0 == .accepted })
        _ = try await deliver(site, job)
        let verdict = try #require(try await site.store.journal(of: job.id)?.parts[0].verdict)
        #expect(verdict.decision == decision && verdict.answers.opened == opened, "\(verdict.rule)")
    }

    /// The verdict is what the ledger says, though nothing was sent: otherwise the delivery is missed without a question.
    @Test(arguments: [StageVerdict.Decision.halt, .hold])
    func aVerdictOnAStageThatReachedNobodyWaitsForAPerson(decision: StageVerdict.Decision) async throws {
        let site = try await site(1000, FakeApple { _, _ in .refuse(410, "Unregistered") })
        if decision == .hold {
            // Nobody is in the first stage.
            let first = try await devices(site).filter { $0.stage == 1 }.map(\.id)
            _ = try await site.registry.delete(first, in: .installation, as: .master)
        }
        let job = site.job(.stages(Self.rollout), window: .seconds(3 * 3600))
        for _ in 0..<2 {
            let verdict = try #require(try await deliver(site, job).stopWhileSending?.verdict)
            #expect(verdict.decision == decision && verdict.answers.accepted == 0, "\(verdict.rule)")
        }
    }

    @Test func tooFewAnswersHoldAndAbandonedMissesTheRest() async throws {
        let site = try await site(100)
        let job = site.job(.stages(Self.rollout), window: .seconds(3 * 3600))
        let verdict = try #require(try await deliver(site, job).stopWhileSending?.verdict)
        #expect(verdict.decision == .hold && verdict.rule.text.hasSuffix("fewer than the minimum of 50"))
        let figures = try await DeliveryEngine.conclude(job.id, in: site.store, under: try await site.lease("person"))
        #expect(
            figures.isClosed && figures.missed == figures.parts[1].figures.targets + figures.parts[2].figures.targets)
        #expect(try await site.run("again", Life(), job).figures == figures)
        #expect(site.apple.requests == figures.parts[0].figures.targets)
    }

    @Test func devicesInDoubtOfAnAbandonedRolloutAreSentToWithoutAnotherQuestion() async throws {
        let site = try await site(1000, FakeApple { _, request in request == 1 ? .lost : .accept })
        var rollout = Self.rollout
        rollout.minimum = 5000
        let job = site.job(.stages(rollout), window: .seconds(3 * 3600))
        let verdict = try #require(try await deliver(site, job).stopWhileSending?.verdict)
        #expect(verdict.stage == 1 && verdict.answers.inDoubt == 1)
        let person = try await site.lease("person")
        let abandoned = try await DeliveryEngine.conclude(job.id, in: site.store, under: person)
        #expect(abandoned.inDoubt == 1 && abandoned.missed > 0)
        try await site.store.reopenDoubtful(job.id, under: person)
        let end = try #require(try await site.run("again", Life(), job).figures)
        #expect(end.accepted == abandoned.accepted + 1 && end.inDoubt == 0 && end.missed == abandoned.missed)
    }

    /// The request that is refused, and the stage that it falls into.
    @Test(arguments: [(20, 1), (400, 3)])
    func aRefusalOfTheWholeDeliveryHaltsInsideTheStageAndProceedFinishesThatStageFirst(
        refused: Int, stage: Int
    ) async throws {
        let site = try await site(
            1000, FakeApple { _, request in request == refused ? .refuse(403, "BadCertificate") : .accept })
        let job = site.job(.stages(Self.rollout), window: .seconds(3 * 3600))
        let verdict = try #require(try await deliver(site, job).stopWhileSending?.verdict)
        #expect(verdict.decision == .halt && verdict.stage == stage)
        let before = try #require(try await site.store.journal(of: job.id))
        #expect(before.parts[stage - 1].figures.waiting > 0)
        // The verdict is durable before the ledger says so: a run that comes between sends nothing more either.
        let requests = site.apple.requests
        // Nor is to go on after a stop a decision about it.
        try await site.store.renewWindow(of: job.id, under: try await site.lease("other"))
        #expect(try await site.run("again", Life(), job) == .interrupted(.judged(verdict)))
        #expect(site.apple.requests == requests)
        var decision = verdict
        decision.decision = .proceed
        try await site.store.judge(job.id, decision, under: try await site.lease("person"))
        let after = try #require(try await site.store.journal(of: job.id))
        #expect(after.parts.map(\.opensAt) == before.parts.map(\.opensAt))
        let end = try #require(try await deliver(site, job).figures)
        #expect(ExactlyOnce.violations(end, received: site.apple.received, kills: 0) == [])
        let decisions: [StageVerdict.Decision?] = stage == 1 ? [.proceed, .go, nil] : [.go, .go, .proceed]
        #expect(end.parts.map { $0.verdict?.decision } == decisions)
    }

    @Test func aStageThatAPersonLetProceedIsNotJudgedAgain() async throws {
        let site = try await site(
            1000,
            FakeApple { _, request in
                if request <= 5 { return .refuse(410, "Unregistered") }
                return request == 20 ? .refuse(403, "BadCertificate") : .accept
            })
        var rollout = Self.rollout
        rollout.stopWhen.deadTokens = Share("1%")
        let job = site.job(.stages(rollout), window: .seconds(3 * 3600))
        let verdict = try #require(try await deliver(site, job).stopWhileSending?.verdict)
        #expect(verdict.decision == .halt && verdict.stage == 1)
        var decision = verdict
        (decision.decision, decision.rule) = (.proceed, .verbatim("these were test devices"))
        try await site.store.judge(job.id, decision, under: try await site.lease("person"))
        let end = try #require(try await deliver(site, job).figures)
        #expect(ExactlyOnce.violations(end, received: site.apple.received, kills: 0) == [])
        #expect(end.parts.map { $0.verdict?.decision } == [.proceed, .go, nil])
        #expect(end.parts[0].verdict?.rule.text == "these were test devices")
        // The next one opened after the bake all the same.
        let (last, next) = (try #require(end.parts[0].figures.lastOutcomeAt), try #require(end.parts[1].opensAt))
        #expect(next >= last + rollout.bake)
    }

    @Test func aStageThatNobodyOpenedInItsWindowIsMissed() async throws {
        let site = try await site()
        var rollout = Self.rollout
        rollout.window = .seconds(3600)
        let job = site.job(.stages(rollout), window: .seconds(3600))
        _ = try await site.run("first", Life(), job)
        site.clock.advance(.seconds(2 * 3600))
        let figures = try #require(try await site.run("late", Life(), job).figures)
        #expect(figures.accepted == figures.parts[0].figures.targets)
        #expect(figures.missed == figures.targets - figures.accepted && figures.missed > 0)
    }
}
