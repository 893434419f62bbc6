internal import Base
internal import ProgramTesting
internal import Push
internal import PushReport
internal import Testing

@Suite struct PreviewReportTests {
    private static func report(
        _ text: String, remote: RemoteType = .leancloud, _ change: (inout PreviewReport) -> Void = { _ in }
    ) -> Report {
        var content = MessageContent()
        (content.title, content.body) = (.text(text), .text(text))
        (content.sound, content.badge, content.threadId) = (.name(text), .increment, text)
        let message = Message(common: content)
        let body: JSONValue = ["data": ["alert": ["title": .string(text), "body": .string(text)]], "prod": "prod"]
        var report = PreviewReport(
            workspace: "giants", remote: ReportFixtures.remote(), campaign: "giants-score", revision: 2,
            delivery: DeliveryID(workspace: "giants", campaign: "giants-score", revision: 2),
            audience: Audience(channels: ["Giants"]).reason, at: OffsetInstant("2026-11-27T20:00:00+08:00"),
            looks: Platform.allCases.map { NotificationLook(message, on: $0) },
            request: PushRequest(endpoint: .push, body: body), payload: remote == .apns ? ["aps": [:]] : nil,
            size: PlannedPayload(bytes: 1312, limit: 4096),
            diagnostics: [Diagnostic(.note, .portability, text)])
        change(&report)
        return .preview(report)
    }

    private static let rollout = Rollout(
        stages: ["1%", "10%", "100%"].compactMap { Share($0) }, bake: .seconds(1800),
        stopWhen: .init(refused: Share("2%")))

    @Test func stagesAreShownWithTheirSharesAndEarliestTimes() throws {
        let report = Self.report("x", remote: .apns) { $0.division = .stages(Self.rollout) }
        let lines = report.rendered(as: .text).split(separator: "\n").map {
            $0.split(separator: " ", omittingEmptySubsequences: true).joined(separator: " ")
        }
        #expect(lines.contains("1% 2026-11-27 20:00 +08:00 1%"))
        #expect(lines.contains("10% 2026-11-27 20:30 +08:00 at the earliest 9%"))
        #expect(lines.contains("100% 2026-11-27 21:00 +08:00 at the earliest 90%"))
        #expect(lines.contains { $0.contains("estimates") } && lines.contains { $0.contains("30m between stages") })
        let parts = try JSONValue(parsing: report.rendered(as: .json))["parts"]?.array
        #expect(parts?.map { $0["label"] } == ["1%", "10%", "100%"] && parts?.last?["estimate"] == true)
        let undated = Self.report("x", remote: .apns) {
            ($0.division, $0.at) = (.stages(Self.rollout), nil)
        }
        #expect(undated.rendered(as: .text).contains("1h later at the earliest"))
    }

    @Test func wavesAreShownFromTheFirstClocksToTheLast() throws {
        let schedule = LocalSchedule(
            at: try #require(LocalTime("2026-12-24T09:00:00")), otherwise: "America/Los_Angeles")
        let report = Self.report("x", remote: .apns) { $0.division = .waves(schedule) }
        for format in [ReportFormat.text, .html, .markdown] {
            let text = report.rendered(as: format)
            for label in ["UTC+14:00", "UTC−08:00", "UTC−12:00"] { #expect(text.contains(label), "\(format)") }
            #expect(!text.contains("<code>UTC"))
        }
        let chinese = report.rendered(as: .text, options: ReportOptions(language: .chinese))
        #expect(chinese.contains("何时发送") && chinese.contains("没有时区的设备，按 America/Los_Angeles"))
    }

    @Test func whatGoesToEverybodyAtOnceHasNoParts() {
        #expect(!Self.report("x").rendered(as: .text).contains("When it is sent"))
        #expect(!Self.report("x").rendered(as: .json).contains("\"parts\""))
    }

    @Test func theTextHoldsThePicturesThenTheBytes() throws {
        try expectGolden(Self.report("It's now 2-2.").rendered(as: .text), "preview.txt")
    }

    @Test func theJSONHasTheLooksTheRequestAndTheLargestFields() throws {
        try expectGolden(Self.report("It's now 2-2.").rendered(as: .json), "preview.json")
    }

    @Test func whatEveryDeviceGetsStandsBesideWhatItIsCarriedOutFrom() {
        let text = Self.report("x", remote: .apns).rendered(as: .text)
        #expect(text.contains("What every device gets:") && text.contains("The recorded request of the delivery:"))
    }

    @Test func thePictureHoldsEveryView() {
        let svg = Self.report("It's now 2-2.").rendered(as: .svg)
        for view in [
            "iPhone, lock screen", "iPhone, banner", "iPhone, expanded", "Android, shade", "Android, expanded",
        ] {
            #expect(svg.split(separator: ">\(view)<").count == 3)
        }
        #expect(Report.status(ReportFixtures.status).rendered(as: .svg) == "")
    }

    @Test(
        arguments: ["a\n::error::x\u{202E}\u{1B}[31m##[error]\u{2028}", "::error::x", "\r\n##vso[x]"], [true, false])
    func hostileTextStaysText(text: String, usesUnicode: Bool) {
        let options = ReportOptions(style: TextStyle(usesUnicode: usesUnicode))
        for format in [ReportFormat.text, .json, .github] {
            for line in Self.report(text).rendered(as: format, options: options).split(separator: "\n") {
                #expect(!line.unicodeScalars.contains(where: HiddenCharacters.contain))
                #expect(!line.contains("##[") && !line.contains("##vso["))
                #expect(format == .github || !line.drop(while: \.isWhitespace).hasPrefix("::"))
            }
        }
    }
}
