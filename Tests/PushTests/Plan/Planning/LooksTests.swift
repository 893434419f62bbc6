import Base
import Push
import RemoteTesting
import Testing

@Suite struct LooksTests {
    private func looks(_ campaign: Campaign, on type: RemoteType = .leancloud) -> [NotificationLook]? {
        var input = Ledger.answered(
            Sample.input(Sample.workspace([campaign]), RemoteState(now: Sample.start, ledgerStarted: true)))
        input.remote.type = type
        return Planner.plan(input).plan.changes.first?.looks
    }

    @Test func aSendShowsEveryPlatformThatTheAudienceAndTheRemoteReach() {
        let campaign = Sample.campaign("a")
        #expect(looks(campaign)?.map(\.platform) == [.ios, .android])
        #expect(looks(campaign)?.map(\.body) == [.text("It's now 2-2."), .text("It's now 2-2.")])
        #expect(looks(campaign, on: .apns)?.map(\.platform) == [.ios])
        let narrow = Sample.campaign("a") { $0.audience.platforms = [.android] }
        #expect(looks(narrow)?.map(\.platform) == [.android])
        #expect(looks(narrow, on: .apns) == [])
        #expect(looks(Sample.campaign("a") { $0.audience.condition = ["deviceType": "ios"] })?.count == 1)
    }

    @Test func whatMakesNoPushHasNoLook() {
        #expect(looks(Sample.campaign("a") { $0.hold = true }) == [])
        #expect(looks(Sample.campaign("a", at: Sample.start - .seconds(9000))) == [])
    }

    @Test func schedulesAndReschedulesHaveLooks() {
        let now = Sample.start
        let pending = Sample.campaign("moved", at: now + .seconds(7200))
        let push = ScheduledPush(id: 1, notificationID: Sample.delivery("moved").text, at: now + .seconds(7200))
        let state = RemoteState(
            now: now, ledger: [Ledger.entry(pending, .scheduled, now: now, age: .seconds(900))], ledgerStarted: true,
            scheduled: [push])
        let plan = Ledger.plan(
            Sample.workspace([
                Sample.campaign("moved", at: now + .seconds(9000)), Sample.campaign("new", at: now + .seconds(9000)),
            ]), state)
        #expect(plan.changes.map(\.action) == [.reschedule, .schedule])
        #expect(plan.changes.allSatisfy { $0.looks.count == 2 })
    }

    @Test(arguments: [("It's now 2-2.", 2), ("edited since", 0)])
    func aSendingResumeHasLooksWhileItsFileIsAsItWas(text: String, count: Int) throws {
        let now = Sample.start
        let entry = Ledger.entry(Sample.campaign("open"), .sending, now: now, age: .seconds(700))
        let change = try #require(
            Ledger.plan(
                Sample.workspace([Sample.campaign("open", text: text)]),
                RemoteState(now: now, ledger: [entry], ledgerStarted: true)
            ).changes.first)
        #expect(change.action == .resume && change.request != nil)
        #expect(change.looks.count == count)
    }

    @Test func aDifferenceInLooksIsNoneOfThePlan() {
        let plan = Ledger.plan(Sample.workspace([Sample.campaign("a")]))
        var other = plan
        other.changes[0].looks = []
        #expect(PlanDifference.between(reviewed: plan, now: other, growth: 0.1, isTrusted: false) == [])
    }
}

@Suite struct SavedLooksTests {
    private static func full(_ text: String) -> NotificationLook {
        var look = NotificationLook(platform: .ios, pushType: .liveactivity)
        look.title = .text(text)
        look.subtitle = .localized(key: text, arguments: [])
        look.body = .localized(key: text, arguments: [text, ""])
        look.badge = .increment
        look.sound = .detailed(name: text, critical: true, volume: 0.5)
        look.interruptionLevel = .timeSensitive
        look.threadId = text
        look.category = text
        look.collapseId = text
        look.image = text
        look.activity = .update
        look.contentState = ["a": .string(text), "n": [1, 2.5, nil]]
        return look
    }

    private static func plan(_ looks: [NotificationLook]) -> Plan {
        var plan = PlanFixtures.plan()
        for index in plan.changes.indices where plan.changes[index].action == .send {
            plan.changes[index].looks = looks
        }
        return plan
    }

    private static var plain: NotificationLook {
        var look = NotificationLook(platform: .android, pushType: .alert)
        (look.body, look.badge, look.sound) = (.text("x"), .number(3), .name("default"))
        return look
    }

    @Test(arguments: ["plain", "", PlanFixtures.hostile])
    func looksAreReadAsTheyWereWritten(text: String) throws {
        let plan = Self.plan([Self.full(text), Self.plain, NotificationLook(platform: .ios, pushType: .background)])
        #expect(try Plan.read(saved: plan.savedBytes()) == plan)
    }

    @Test func onlyWhatIsSetIsWritten() throws {
        let changes = try #require(Self.plan([Self.plain]).json["changes"]?.array)
        let send = try #require(changes.first { $0["action"] == "send" })
        #expect(send["looks"] == [["platform": "android", "body": "x", "badge": 3, "sound": "default"]])
        #expect(changes.filter { $0["looks"] != nil }.count == 1)
    }

    @Test(arguments: [
        ("\"android\"", "\"symbian\"", "looks[0].platform"), ("\"badge\": 3", "\"badge\": \"x\"", "looks[0].badge"),
        ("\"badge\": 3", "\"activity\": \"x\"", "looks[0].activity"),
        ("\"badge\": 3", "\"pushType\": \"x\"", "looks[0].pushType"),
        ("\"badge\": 3", "\"interruptionLevel\": \"x\"", "looks[0].interruptionLevel"),
        ("\"badge\": 3", "\"title\": 3", "looks"),
    ])
    func whatThisVersionDoesNotKnowIsNamed(old: String, new: String, member: String) throws {
        let text = String(decoding: Self.plan([Self.plain]).savedBytes(), as: UTF8.self).replacing(old, with: new)
        let end = try #require(text.firstRange(of: ",\n  \"integrity\""))
        let fault = try #require(SavedPlanTests.fault(SavedPlanTests.sealed(start: text[..<end.lowerBound])))
        #expect(fault.hasPrefix("not a plan file of bugle: ") && fault.contains(member))
    }
}
