import Apply
import Base
import Delivery
import DeliveryTesting
import DeviceRegistry
import Foundation
import RemoteTesting
import Synchronization
import Testing

@testable import Push

/// A week of `bugle run` straight to Apple with 20 campaigns of all kinds, killed and started again at random: what the
/// devices got is what the calendars of plans had shown.
///
/// That of campaigns that go to everybody at once, through other remotes too, is in `PushApplyTests`.
@Suite struct RunnerWeekTests {
    private static let week = Duration.seconds(7 * 86_400)
    private static let batchSize = 5
    private static let isLong = ProcessInfo.processInfo.environment["BUGLE_LONG_TESTS"] == "1"
    private static let zones: [String?] = [
        "Pacific/Apia", "Asia/Shanghai", "Asia/Kathmandu", "Europe/Berlin", "America/New_York", "America/Los_Angeles",
        nil,
    ]

    private static func day(_ number: Int, _ hour: Int) -> Instant {
        FakeClock.start + .seconds(86_400 * number + 3600 * hour)
    }

    private static func campaign(
        _ name: String, at: Instant? = nil, change: (inout Campaign) -> Void = { _ in }
    ) -> Campaign {
        Sample.campaign(name, at: at, text: name) {
            $0.audience = Audience(everyone: true, platforms: [.ios])
            $0.window = .seconds(3 * 3600)
            change(&$0)
        }
    }

    private static func recurring(
        _ name: String, _ unit: Recurrence.Unit, _ on: [String], _ minute: Int, _ zone: String
    ) -> Campaign {
        campaign(name) {
            var rule = Recurrence()
            (rule.every, rule.on) = (unit, on.compactMap { Recurrence.Day($0) })
            (rule.minute, rule.timeZone, rule.until) = (minute, zone, CivilDate("2027-03-01"))
            $0.recurrence = rule
        }
    }

    private static let campaigns: [Campaign] =
        (0..<4).map { number in
            campaign("wave\(number)") {
                let morning = LocalSchedule(
                    at: LocalTime(seconds: day(number + 1, 0).seconds / 86_400 * 86_400 + Int64(3600 * (8 + number))),
                    otherwise: "Asia/Shanghai")
                ($0.localSchedule, $0.scheduledAt) = (morning, morning.first)
            }
        }
        + (0..<4).map { number in
            campaign("rollout\(number)", at: day(number + 1, 3 * number)) {
                $0.rollout = Rollout(
                    stages: (number % 2 == 0 ? ["20%", "100%"] : ["10%", "40%", "100%"]).compactMap { Share($0) },
                    bake: .seconds(Int64(600 * (number + 1))), stopWhen: .init(refused: Share("5%")), minimum: 1)
            }
        }
        + [
            recurring("daily", .day, [], 540, "Asia/Shanghai"), recurring("midnight", .day, [], 0, "Pacific/Apia"),
            recurring("weekly", .week, ["tue", "sat"], 600, "Europe/Berlin"),
            recurring("monthly", .month, ["22", "last"], 480, "America/New_York"),
        ] + (0..<6).map { campaign("once\($0)", at: day($0, 5)) } + [
            campaign("now"), campaign("held", at: day(1, 1)) { $0.hold = true },
        ]

    private static let workspace = Sample.workspace(campaigns) {
        $0.deviceProfiles = [
            DeviceProfile(
                name: "app", origin: Sample.origin("app"), environment: .production, topic: "com.example.app",
                isDefault: true,
                credential: .token(teamId: "ABCDE12345", keyId: "F4K3K3Y1D0", key: .environment("KEY")))
        ]
        $0.policy.allowEveryone = true
        $0.policy.maxSendsPerApply = 20
        $0.policy.minimumGap = .zero
    }

    /// One part of a delivery as a plan has shown it.
    private struct Shown: Hashable {
        let campaign: String
        let part: String?
        let at: Instant
        let isEstimate: Bool
    }

    /// One push that a device got.
    private struct Got: Hashable {
        let campaign: String
        let token: String
        let at: Instant
    }

    /// What devices got, by the texts.
    private final class Log: Sendable {
        private let got = Mutex<[Got]>([])
        var all: [Got] { got.withLock { $0 } }
        func note(_ push: Got) { got.withLock { $0.append(push) } }
    }

    /// Apple, for one process.
    private struct Sender: NotificationSending, SenderProviding {
        let log: Log
        let life: Life
        let clock: FakeClock

        func sender(for profile: String) async throws(SenderError) -> any NotificationSending { self }

        func send(
            _ notification: PushNotification, to targets: [SendTarget], through gate: any SendGate
        ) async -> [Verdict] {
            var answers: [Verdict] = []
            for target in targets {
                guard gate.isOpen else {
                    answers.append(.notSent(.noBodyGiven("held back")))
                    continue
                }
                guard life.act() else { return answers }
                let body = try? JSONValue(parsing: notification.body.filled(with: target.fillings))
                let alert = body?["aps"]?["alert"]
                let text = alert?["body"]?.string ?? alert?.string ?? ""
                log.note(Got(campaign: text, token: target.token, at: clock.now))
                gate.note(.accepted)
                answers.append(.accepted)
            }
            return answers
        }

        func close() async {}
    }

    private struct Device {
        let token: String
        let objectID: String
        let zone: String?
    }

    /// A registry and its clock.
    private struct Site {
        let clock = FakeClock()
        let log = Log()
        let registry: Registry
        let devices: [Device]
        let description = APNsRemote.description(name: "apple", registry: "r", label: "r", hosts: [:])

        init(_ count: Int) async throws {
            registry = try Registry.inMemory(isInline: true)
            var devices: [Device] = []
            for index in 0..<count {
                let zone = RunnerWeekTests.zones[index % RunnerWeekTests.zones.count]
                let token = "ab" + String(1000 + index)
                var fields: JSONObject = ["deviceType": "ios", "deviceToken": .string(token), "deviceProfile": "app"]
                fields["timeZone"] = zone.map { .string($0) }
                let written = try await registry.create(fields, in: .installation, as: .master, at: FakeClock.start)
                devices.append(Device(token: token, objectID: written.object.objectID, zone: zone))
            }
            self.devices = devices
        }

        private func store(_ life: Life) -> Journal {
            let clock = clock
            return Journal(registry) { clock.now }.mortal(life, batchSize: RunnerWeekTests.batchSize)
        }

        func reader(_ life: Life) -> APNsReader {
            APNsReader(store(life).reader, description: description, workspace: workspace.name)
        }

        func writer(_ life: Life, _ stop: StopSignal) -> APNsWriter {
            let (clock, log) = (clock, log)
            return APNsWriter(
                store(life), workspace: workspace.name,
                senders: { _ in Sender(log: log, life: life, clock: clock) },
                clients: BroadcastClients(profiles: []) { _ in .failure(SenderError("none")) },
                pausing: FakePause(clock: clock) { life.isOver || stop.isRaised }, heartbeat: DeliveryTesting.NoPause(),
                elapsed: { clock.elapsed })
        }

        func input(_ state: RemoteState, onlyDue: Bool) -> PlanInput {
            var input = PlanInput(
                desired: workspace, remote: description, capabilities: APNsRemote.capabilities, encoder: APNsEncoder(),
                state: state, selection: Selection(onlyDue: onlyDue))
            input.explainsAudiences = !onlyDue
            return input
        }

        /// What a plan made now shows for the time ahead; the first one also what is due at once.
        func shown(isFirst: Bool = false) async throws -> Set<Shown> {
            let state = try await reader(Life()).observe { Planner.questions(input($0, onlyDue: false)) }
            let plan = Planner.plan(input(state, onlyDue: false)).plan
            return Set(
                plan.calendar.entries.compactMap { entry in
                    guard let name = entry.campaign, name != "held", isFirst || entry.at.instant > state.now else {
                        return nil
                    }
                    return Shown(
                        campaign: name, part: entry.part, at: entry.at.instant, isEstimate: entry.isEstimate)
                })
        }

        /// An apply, or rounds of a runner, until `end` or the end of its life.
        func live(_ life: Life, run: String, until end: Instant?) async throws {
            let (stop, clock, reader) = (StopSignal(), clock, reader(life))
            let pausing = FakePause(clock: clock) { life.isOver || stop.isRaised }
            func session() -> ApplySession {
                ApplySession(
                    reader: reader, writer: writer(life, stop), options: ApplyOptions(holder: "runner", run: run),
                    stop: stop, pausing: pausing, heartbeat: DeliveryTesting.NoPause(), elapsed: { clock.elapsed },
                    report: { _ in })
            }
            do {
                guard let end else {
                    _ = try await session().run(
                        input: { input($0, onlyDue: false) }, agree: { _ in [] })
                    return
                }
                try await runRounds(
                    every: .seconds(RunnerWeekTests.isLong ? 1200 : 3000), stop: stop, pausing: pausing,
                    elapsed: { clock.elapsed }
                ) {
                    if clock.now >= end { stop.raise() }
                    _ = try await reader.dueRound(
                        input: { input($0, onlyDue: true) }, session: { session() })
                    if life.isOver { throw RemoteError(.unavailable, "killed") }
                }
            } catch {
                guard life.isOver else { throw error }
            }
        }
    }

    @Test(arguments: isLong ? 1...4 : 1...1)
    func whatDevicesGetIsWhatTheCalendarsHadShown(seed: Int) async throws {
        var random = SeededGenerator(seed: UInt64(seed))
        let site = try await Site(42)
        var calendar = try await site.shown(isFirst: true)
        try await site.live(Life(), run: "first", until: nil)
        let end = FakeClock.start + Self.week
        var (number, kills, nextLook) = (0, 0, site.clock.now)
        while site.clock.now < end {
            if site.clock.now >= nextLook {
                calendar.formUnion(try await site.shown())
                nextLook = site.clock.now + .seconds(12 * 3600)
            }
            number += 1
            let life = Life(acts: Int.random(in: 0..<250, using: &random))
            try await site.live(life, run: "run\(number)", until: min(end, nextLook))
            if life.isOver { kills += 1 }
            // The lock of one that was killed expires.
            site.clock.advance(.seconds(Int.random(in: 60..<600, using: &random)))
        }
        try await site.live(Life(), run: "last", until: site.clock.now + .seconds(7200))
        #expect(kills > 10)
        try check(site, calendar, kills: kills)
        try await checkSilence(site)
    }

    /// Every campaign reached somebody, but for the one on hold and rollouts that hold: nobody is in their first stage, or
    /// a kill left everybody in it in doubt.
    private func checkSilence(_ site: Site) async throws {
        let heard = Set(site.log.all.map(\.campaign))
        let state = try await site.reader(Life()).observe { Planner.questions(site.input($0, onlyDue: false)) }
        for campaign in Self.campaigns where campaign.name != "held" && !heard.contains(campaign.name) {
            let entry = try #require(state.ledger.first { $0.campaign == campaign.name }, "\(campaign.name)")
            let figures = try #require(entry.figures, "\(campaign.name)")
            let first = try #require(campaign.rollout?.stages.first?.text, "\(campaign.name)")
            #expect(entry.state == .holding && figures.successes == 0, "\(campaign.name)")
            let isEmpty = !site.devices.contains { Self.part(of: $0, in: campaign) == first }
            #expect(isEmpty == (figures.inDoubt == 0), "\(campaign.name)")
        }
    }

    /// Nobody gets anything twice, before its time, or when no plan had shown it; what was shown is had by everybody who
    /// is in it, but for the batches that a kill left in doubt.
    private func check(_ site: Site, _ calendar: Set<Shown>, kills: Int) throws {
        let last = site.clock.now - .seconds(4 * 3600)
        let devices = Dictionary(uniqueKeysWithValues: site.devices.map { ($0.token, $0) })
        var had: [Shown: Set<String>] = [:]
        for push in site.log.all where push.campaign != "now" {
            let device = try #require(devices[push.token])
            let campaign = try #require(Self.campaigns.first { $0.name == push.campaign })
            let part = Self.part(of: device, in: campaign)
            // The latest that had begun: estimates of a stage move on with it.
            // What is to be sent at one instant counts as due a minute before; a day or a wave never does.
            let isAtOnce = campaign.recurrence == nil && campaign.localSchedule == nil
            let begun = push.at + .seconds(isAtOnce ? 60 : 0)
            let shown = calendar.filter { $0.campaign == push.campaign && $0.part == part && $0.at <= begun }
                .max { $0.at < $1.at }
            let entry = try #require(shown, "\(push.campaign) \(part ?? "") at \(push.at.text)")
            #expect(push.at <= entry.at + .seconds(3 * 3600), "\(push.campaign) \(part ?? "") late, at \(push.at.text)")
            #expect(had[entry, default: []].insert(push.token).inserted, "\(push.token) got \(push.campaign) twice")
        }
        for campaign in Self.campaigns where campaign.recurrence == nil && campaign.name != "held" {
            let tokens = site.log.all.filter { $0.campaign == campaign.name }.map(\.token)
            #expect(Set(tokens).count == tokens.count, "\(campaign.name) came twice")
        }
        var missing = 0
        for entry in calendar where entry.at < last && !entry.isEstimate && entry.campaign != "now" {
            let campaign = try #require(Self.campaigns.first { $0.name == entry.campaign })
            let meant = site.devices.filter { Self.part(of: $0, in: campaign) == entry.part }.count
            missing += meant - had[entry, default: []].count
        }
        // A kill leaves at most one batch in doubt.
        #expect(missing <= kills * Self.batchSize, "\(missing) after \(kills) kills")
        #expect(!site.log.all.contains { $0.campaign == "held" })
    }

    /// The part of a device as calendars name it; nil when everybody gets it at once.
    private static func part(of device: Device, in campaign: Campaign) -> String? {
        if let schedule = campaign.localSchedule {
            let wave = device.zone.flatMap { schedule.wave(in: $0) } ?? schedule.fallback
            return LocalSchedule.label(ofOffset: schedule.reading(of: wave).offset)
        }
        guard let rollout = campaign.rollout else { return nil }
        let delivery = DeliveryID(
            workspace: workspace.name, campaign: campaign.name, revision: 1, occurrence: .once)
        let bucket = Buckets(salt: delivery.text).bucket(of: Array(device.objectID.utf8))
        return rollout.stages[rollout.stage(ofBucket: bucket) - 1].text
    }
}
