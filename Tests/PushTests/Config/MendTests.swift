import Base
import Foundation
import Push
import Testing

/// What `bugle validate --fix` writes: what can only be meant in one way, and nothing else.
@Suite struct MendTests {
    private static let campaign = MistakeTableTests.campaign

    /// A text, read as a file of a workspace, after its mends; itself when there are none.
    private static func mended(_ text: String) -> String {
        WorkspaceLoader.mended(Array(text.utf8), folder: "/").map { String(decoding: $0, as: UTF8.self) } ?? text
    }

    /// A part of a valid campaign, what somebody wrote instead, and what becomes of it.
    @Test(arguments: [
        ("7d", "7 days", "7d"), ("{after: 7d}", "7d", "{after: 7d}"), ("{after: 7d}", "{after: 604800}", "{after: 7d}"),
        ("expiration", "expiraton", "expiration"), ("  body", "  boddy", "  body"),
        ("audience", "Audience", "audience"),
        ("kind: Campaign", "kind: Campain", "kind: Campaign"), ("kind", "knd", "kind"),
        ("[Giants]", "Giants", "[Giants]"), ("name: score", "name: Score Of Today", "name: score-of-today"),
        ("\n  body: Giants won", " Giants won", " {body: Giants won}"),
        ("Giants won", "@everyone won", "\"@everyone won\""), ("Giants won", "Today: 50% off", "\"Today: 50% off\""),
        ("Giants won", "{{firstName|you}}, hi", "\"{{firstName|you}}, hi\""),
        ("Giants won", #"*Giants* \ "won""#, #""*Giants* \\ \"won\"""#),
        ("Giants won", "#1 in the league", "\"#1 in the league\""), ("Giants won", "5", "\"5\""),
        ("  body: Giants won", "  body: won\n  contentAvailable: 1", "  body: won\n  contentAvailable: true"),
        ("  body: Giants won", "  body: won\n  badge: \"5\"", "  body: won\n  badge: 5"),
        (
            "  channels: [Giants]", "  channels: [Giants]\n  platforms: [iphone]",
            "  channels: [Giants]\n  platforms: [ios]"
        ),
        (
            "  channels: [Giants]", "  channels: [Giants]\n  platforms: iphone, android",
            "  channels: [Giants]\n  platforms: [ios, android]"
        ),
        (
            "expiration: {after: 7d}", "expiration: {after: 1h}\nschedule: {at: 2026/11/27 20:00+0800}",
            "expiration: {after: 1h}\nschedule: {at: 2026-11-27T20:00:00+08:00}"
        ),
        ("expiration: {after: 7d}", "ttl: 3600", "expiration: {after: 1h}"),
    ]) func whatCanOnlyBeMeantSoIsWritten(part: String, wrong: String, right: String) {
        let text = Self.campaign.replacing(part, with: wrong)
        #expect(Self.mended(text) == Self.campaign.replacing(part, with: right))
    }

    /// What would decide who gets a push, or when, is left to a person; so is what has two meanings.
    @Test(arguments: [
        ("{after: 7d}", "{after: 7}"), ("[Giants]", "[Giant]"), ("channels: [Giants]", "where: {age: {gte: 18}}"),
        ("channels: [Giants]", "where: {age: {$gtt: 18}}"), ("\n  channels: [Giants]", " vip"),
        ("\n  channels: [Giants]", " all"), ("channels: [Giants]", "all: true"),
        ("channels: [Giants]", "segments: [My VIPs]"), ("channels: [Giants]", "deviceProfile: my driver"),
        ("expiration:", "schedule: {at: 2026-11-27T20:00:00}\nexpiration:"),
        ("expiration:", "schedule: {every: day, at: \"09:00\", timeZone: Shanghai}\nexpiration:"),
        ("expiration:", "schedule: {every: day, at: \"24:00\", timeZone: UTC, until: 2026-12-31}\nexpiration:"),
        ("Giants won", "[a"), ("Giants won", "We are #1"), ("Giants won", "\"a\" b"), ("Giants won", "@a # why"),
        ("Giants won", "@a\n    b"), ("  body", "  body: a\n  boddy"), ("  body", "\tbody"),
        ("channels: [Giants]", "channels: [Giants]\n  platforms: &p ios\n  segments: *p"),
    ]) func whatAPersonMustDecideStays(part: String, wrong: String) {
        let text = Self.campaign.replacing(part, with: wrong)
        let result = Self.mended(text)
        #expect(result == text || wrong.contains("&p"), "\(result)")
        if wrong.contains("&p") { #expect(result.contains("segments: *p"), "an alias is no text of its own") }
    }

    @Test func nothingElseInTheFileChanges() {
        let text =
            "\u{FEFF}# é 🎉\r\nkind:   Campaign  # why\r\nname: score\r\naudience: {channels:  Giants}   # 球\r\n"
            + "message: &m\r\n  titel: 🎉 a\r\n  body:  'b' \r\nexpiration: 7d # d\r\n\r\n---\r\nkind: Chanel\rname: x\r\n\r\n"
        let wanted = text.replacing("  Giants}", with: "  [Giants]}").replacing("titel", with: "title")
            .replacing("7d", with: "{after: 7d}").replacing("Chanel", with: "Channel")
        #expect(Self.mended(text) == wanted)
        #expect(Self.mended(wanted) == wanted)
    }

    /// Every typical mistake: what is written leads to no more errors, keeps the lines, and is final.
    @Test(arguments: MistakeTableTests.schedules + MistakeTableTests.campaigns + MistakeTableTests.syntax)
    func noMendMakesATypicalMistakeWorse(_ mistake: MistakeTableTests.Mistake) async {
        let text = mistake.text(in: Self.campaign)
        let result = Self.mended(text)
        #expect(Self.mended(result) == result)
        #expect(result.split(separator: "\n").count == text.split(separator: "\n").count)
        guard !mistake.said.contains(where: { $0.contains("yaml-syntax") }) else { return }
        #expect(await Self.errors(result) <= Self.errors(text), "\(result)")
    }

    private static func errors(_ text: String) async -> Int {
        await TemporaryFolder.sample(["x.yaml": text]).load().diagnostics.count { $0.severity == .error }
    }
}
