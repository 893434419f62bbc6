internal import Base
internal import Foundation
internal import PushReport
internal import Testing

@testable internal import Push

/// The one sentence that every form of a plan begins with.
@Suite struct VerdictTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let changes: [Change]
        let code: PlanVerdict.Code
        let english: String
        let chinese: String

        init(_ changes: [Change], _ code: PlanVerdict.Code, _ english: String, _ chinese: String) {
            (self.changes, self.code, self.english, self.chinese) = (changes, code, english, chinese)
        }

        var testDescription: String { english }
    }

    private static func push(
        _ action: Action, _ devices: Int? = nil, reason: Reason = Reason(.changed), blocked: [Block.Rule] = []
    ) -> Change {
        Change(
            kind: .campaign, name: "c\(devices ?? 0)", action: action, reason: reason,
            delivery: ReportFixtures.delivery(at: action == .schedule ? "2026-11-27T20:00:00+08:00" : nil),
            audience: devices.map { PlannedAudience(devices: $0, Audience(channels: ["A"]).reason) },
            blocked: blocked.map { Block($0, .verbatim("so says \($0.rawValue)")) })
    }

    private static func resource(_ action: Action, blocked: [Block.Rule] = []) -> Change {
        Change(
            kind: .channel, name: "r", action: action, reason: Reason(.changed),
            blocked: blocked.map { Block($0, .verbatim("it is protected")) }
        )
    }

    private static let baking = PartStanding(
        kind: .stage, number: 1, of: 3, accepted: 627, refused: 0, next: ReportFixtures.now + .seconds(60))

    private static let series: Change = {
        var change = Change(kind: .campaign, name: "weekly", action: .create, reason: Reason(.changed))
        change.occurrences = PlannedOccurrences(next: [], following: 3)
        return change
    }()

    static let cases: [Case] = [
        Case(
            [push(.send, 6000), push(.send, 391), push(.schedule, 812_000)], .sends,
            "Merging sends 2 pushes to 6,391 devices now and schedules 1; nothing is blocked.",
            "合并后立即发送 2 次推送给 6,391 台设备，定时发送 1 次；没有被拦截的内容。"),
        Case(
            (1...5).map { push(.send, $0, blocked: [.quietHours]) }, .blocked,
            "Merging sends nothing: 5 pushes are blocked by quiet hours until 08:00.",
            "合并后不会发送任何推送：5 次推送被拦截：免打扰时段（到 08:00 为止）。"),
        Case(
            [push(.send, 1, blocked: [.minAudience, .quietHours]), push(.send, 2, blocked: [.quietHours])], .blocked,
            "Merging sends nothing: 2 pushes are blocked by quiet hours until 08:00.",
            "合并后不会发送任何推送：2 次推送被拦截：免打扰时段（到 08:00 为止）。"),
        Case(
            [
                push(.schedule, 1), push(.send, 2, blocked: [.approvals]), push(.send, 3, blocked: [.approvals]),
                push(.send, 4, blocked: [.maxAudience]),
            ], .sends,
            "Merging schedules 1 push to 1 device; 3 pushes are blocked: 2 by missing approvals, 1 by maxAudience.",
            "合并后定时发送 1 次推送给 1 台设备；3 次推送被拦截：缺少批准 2 项，maxAudience 1 项。"),
        Case(
            [push(.send), push(.send, 10)], .sends,
            "Merging sends 2 pushes to at least 10 devices now; nothing is blocked.",
            "合并后立即发送 2 次推送给 至少 10 台设备；没有被拦截的内容。"),
        Case(
            [push(.resume, 8000, reason: .verbatim("the winner is emoji"))], .sends,
            "Merging goes on with 1 open delivery to 8,000 devices; nothing is blocked.",
            "合并后继续 1 次未结的投递，发给 8,000 台设备；没有被拦截的内容。"),
        Case(
            [push(.none, reason: .verbatim("the rollout was halted")), push(.wait, reason: Reason(.onHold))],
            .undecided,
            "Merging sends nothing: 1 delivery needs a person's decision; 1 delivery is on hold.",
            "合并后不会发送任何推送：1 次投递须人工决定；1 次投递搁置。"),
        Case(
            [
                push(.wait, reason: baking.reason),
                push(.wait, reason: Reason(.onHoldUntil, .instant(ReportFixtures.now))),
            ], .waits,
            "Merging sends nothing: 1 delivery is on hold; 1 delivery goes on in parts.",
            "合并后不会发送任何推送：1 次投递搁置；1 次投递分批继续。"),
        Case(
            [push(.wait, reason: .verbatim("an apply must run between a and b")), push(.reschedule, 5), push(.cancel)],
            .sends,
            "Merging reschedules 1 push and cancels 1 push; nothing is blocked; 1 push waits for the time to come.",
            "合并后改期 1 次推送，取消 1 次推送；没有被拦截的内容；1 次推送等待到时。"),
        Case(
            [resource(.create), resource(.update), resource(.delete), series], .changes,
            "Merging sends nothing, starts 1 recurring campaign, creates 1 resource, updates 1 and deletes 1; "
                + "nothing is blocked.",
            "合并后不会发送任何推送，开始 1 个周期推送活动，新建 1 项资源，更新 1 项，删除 1 项；没有被拦截的内容。"),
        Case(
            [resource(.delete, blocked: [.protected])], .blocked,
            "Merging sends nothing: 1 resource is blocked by protection.", "合并后不会发送任何推送：1 项资源被拦截：保护。"),
        Case([], .noChanges, "No changes: production matches the workspace.", "没有变更：production 与工作区一致。"),
    ]

    private static func plan(_ changes: [Change]) -> Plan {
        var plan = ReportFixtures.plan(changes)
        plan.calendar.quietHours = QuietHours(from: 1320, to: 480, timeZone: "Asia/Shanghai")
        return plan
    }

    @Test(arguments: cases) func everyFormBeginsWithIt(_ test: Case) throws {
        let report = Report.plan(Self.plan(test.changes))
        for (language, sentence) in [(Language.english, test.english), (.chinese, test.chinese)] {
            let options = ReportOptions(language: language)
            let lines = report.rendered(as: .text, options: options).split(separator: "\n")
            #expect(lines[1] == sentence)
            for format in [ReportFormat.markdown, .html] {
                let text = report.rendered(as: format, options: options)
                    .replacing("&#39;", with: "'").replacing("<code>", with: "").replacing("</code>", with: "")
                #expect(text.components(separatedBy: sentence).count == 2, "\(format)")
            }
        }
        let verdict = try JSONValue(parsing: report.rendered(as: .json))["verdict"]
        #expect(verdict?["code"] == .string(test.code.rawValue))
    }

    @Test func programsGetItsNumbers() throws {
        let plan = Self.plan([
            Self.push(.send, 6000), Self.push(.send), Self.push(.schedule, 7),
            Self.push(.send, 9, blocked: [.quietHours]), Self.resource(.delete, blocked: [.protected]),
        ])
        let verdict = try JSONValue(parsing: plan.savedBytes())["verdict"]
        #expect(verdict?["sends"] == ["pushes": 2, "devices": 6000, "uncounted": 1])
        #expect(verdict?["schedules"] == ["pushes": 1, "devices": 7, "uncounted": 0])
        #expect(
            verdict?["blocked"] == [
                ["rule": "protected", "pushes": 0, "others": 1],
                ["rule": "quietHours", "pushes": 1, "others": 0, "until": "08:00"],
            ])
        // It is told, not believed: a plan that was read counts again.
        #expect(try Plan.read(saved: plan.savedBytes()) == plan)
    }

    @Test func everyRuleHasItsWords() {
        for rule in Block.Rule.allCases {
            let plan = Self.plan([Self.push(.send, 1, blocked: [rule])])
            let text = Report.plan(plan).rendered(as: .text)
            #expect(text.contains("1 push is blocked by "), "\(rule)")
        }
    }
}
