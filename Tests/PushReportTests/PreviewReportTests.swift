internal import Diagnostics
internal import GoldenTesting
internal import JSONValue
internal import PushModel
internal import PushPlan
internal import PushReport
internal import Testing

@Suite struct PreviewReportTests {
    private static func report(_ text: String, remote: RemoteType = .leancloud) -> Report {
        var content = MessageContent()
        (content.title, content.body) = (.text(text), .text(text))
        (content.sound, content.badge, content.threadId) = (.name(text), .increment, text)
        let message = Message(common: content)
        let body: JSONValue = ["data": ["alert": ["title": .string(text), "body": .string(text)]], "prod": "prod"]
        return .preview(
            PreviewReport(
                workspace: "giants", remote: ReportFixtures.remote(), campaign: "giants-score", revision: 2,
                delivery: DeliveryID(workspace: "giants", campaign: "giants-score", revision: 2),
                audience: "channel Giants", at: OffsetInstant("2026-11-27T20:00:00+08:00"),
                looks: Platform.allCases.map { NotificationLook(message, on: $0) },
                request: PushRequest(endpoint: .push, body: body), payload: remote == .apns ? ["aps": [:]] : nil,
                size: PlannedPayload(bytes: 1312, limit: 4096),
                diagnostics: [Diagnostic(.note, .portability, text)]))
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
