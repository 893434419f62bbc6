internal import Base
internal import PushReport
internal import Testing

@testable internal import Push

/// Plans on a terminal of 80 columns.
@Suite struct TextWrappingTests {
    private static func lines(_ plan: Plan, _ language: Language = .english, columns: Int? = 80) -> [Substring] {
        let options = ReportOptions(language: language, style: TextStyle(columns: columns))
        return Report.plan(plan).rendered(as: .text, options: options).split(separator: "\n")
    }

    @Test(
        arguments: [Language.english, .chinese],
        ["examples/giants", "examples/recurring", "examples/rollout", "campaigns"])
    func noLineOfAnExampleIsLongerAndNoWordIsBroken(_ language: Language, _ example: String) async throws {
        let plan = try await ExampleTests.plan(example)
        let (lines, whole) = (Self.lines(plan, language), Self.lines(plan, language, columns: nil))
        for line in lines {
            #expect(DisplayWidth.of(String(line)) <= 80 && line.last != " ", "\(line)")
        }
        func words(_ lines: [Substring]) -> String { lines.joined().filter { $0 != " " } }
        #expect(words(lines) == words(whole))
        guard language == .english else { return }
        // Only what is as long as a line is broken: a condition in JSON has no spaces.
        let known = Set(whole.flatMap { $0.split(separator: " ") })
        let broken = lines.flatMap { $0.split(separator: " ") }.filter { !known.contains($0) }
        #expect(broken.allSatisfy { part in known.contains { $0.count > 59 && $0.contains(part) } }, "\(broken)")
    }

    @Test func outcomesStandUnderTheNamesWhereOneDoesNotFit() {
        let narrow = Self.lines(ReportFixtures.sample)
        #expect(narrow.contains("  ▶ campaign giants-score") && narrow.contains("      sends now"))
        #expect(narrow.contains("      2026-11-27 20:00 +08:00, expires after 7d"))
        #expect(narrow.contains("      audience      channel Giants, where scores = true       12,345 devices"))
        var plan = ReportFixtures.sample
        plan.changes.removeAll { $0.name != "giants-score" }
        #expect(
            Self.lines(plan).contains { $0.hasPrefix("  ▶ campaign giants-score      ") && $0.hasSuffix("sends now") })
    }

    @Test func aLineNeverBeginsACommandOrWithPunctuation() {
        let text = String(repeating: "北京大学，", count: 40) + " " + String(repeating: "x ::error::y ", count: 20)
        let plan = ReportFixtures.plan(
            [Change(kind: .campaign, name: "x", action: .cancel, reason: .verbatim(text))],
            diagnostics: [Diagnostic(.note, .quota, text, help: text)])
        for columns in [24, 40, 61, 80] {
            for line in Self.lines(plan, .chinese, columns: columns) {
                let shown = line.trimmingPrefix(while: { $0 == " " })
                #expect(!shown.hasPrefix("::") && !shown.hasPrefix("，"))
                // A colon that would begin a command takes five columns more.
                #expect(DisplayWidth.of(String(line)) <= max(columns, 44) + 6)
            }
        }
    }
}
