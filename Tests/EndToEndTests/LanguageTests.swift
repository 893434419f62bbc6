import Foundation
import Testing

/// What people read is in the language that was asked for, else in the workspace's, else in that of their environment.
@Suite struct LanguageTests {
    private static let files = [
        "a.yaml": String.giants, "one.yaml": .campaign("one"),
        "later.yaml": .campaign("later", more: "schedule: {at: 2026-12-01T12:00:00Z}\nexpiration: {after: 7d}"),
    ]

    private func speak(_ language: String, _ world: World) throws {
        let file = world.folder.appending(path: "bugle.yaml")
        let text = try String(contentsOf: file, encoding: .utf8)
        try Data((text + "\nlanguage: \(language)\n").utf8).write(to: file)
    }

    @Test func theOptionGoesBeforeTheWorkspaceAndThatBeforeTheEnvironment() async throws {
        try await World.run(Self.files) { world in
            let chinese = ["LANG": "zh_CN.UTF-8"]
            #expect(try await world.bugle("status").output.contains("Nothing was delivered yet."))
            #expect(try await world.bugle("status", environment: chinese).output.contains("还没有任何投递。"))
            let all = ["LC_ALL": "en_US.UTF-8", "LANG": "zh_CN.UTF-8"]
            #expect(try await world.bugle("status", environment: all).output.contains("Nothing was delivered yet."))
            #expect(try await world.bugle("status", environment: ["LANG": "zh_TW.UTF-8"]).output.contains("Nothing"))
            try speak("zh-Hans", world)
            #expect(try await world.bugle("status").output.contains("还没有任何投递。"))
            #expect(try await world.bugle("preview", "one").output.contains("iPhone 锁定屏幕"))
            #expect(try await world.bugle("status", "--language", "en").output.contains("Nothing was delivered yet."))
            let wrong = try await world.bugle("status", "--language", "de")
            #expect(wrong.status == 64 && wrong.errors.contains("'en' and 'zh-Hans'"), "\(wrong.everything)")
        }
    }

    @Test func symbolsAreThoseOfTheFirstVariableThatIsNotEmpty() async throws {
        try await World.run(Self.files) { world in
            try await world.devices(1)
            let empty = ["LC_ALL": "", "LC_CTYPE": "", "LANG": "en_US.UTF-8"]
            #expect(try await world.bugle(["plan"], environment: empty).output.contains("▶ campaign one"))
            let ascii = ["LC_ALL": "", "LC_CTYPE": "C", "LANG": "en_US.UTF-8"]
            #expect(try await world.bugle(["plan"], environment: ascii).output.utf8.allSatisfy { $0 < 0x80 })
        }
    }

    @Test func aSavedPlanBearsTheLanguageToItsComment() async throws {
        try await World.run(Self.files) { world in
            try await world.devices(1)
            try speak("zh-Hans", world)
            let plan = world.path("plan.json")
            let text = try await world.bugle("plan", "--out", plan)
            #expect(text.output.contains("推送一旦发出便无法撤回。") && text.output.contains("台设备"), "\(text.everything)")
            let comment = try await world.bugle("comment", plan)
            #expect(comment.output.contains("<h3>推送计划：giants → local</h3>"), "\(comment.everything)")
            #expect(comment.output.contains("`local` 的计划有效至 2026年"))
            let english = try await world.bugle("comment", plan, "--language", "en")
            #expect(english.output.contains("<h3>Push plan: giants → local</h3>"))
            #expect(try await world.bugle("show", plan).output.contains("推送活动 one"))
            // What machines read is the same, and so is what is applied.
            let json = try await world.bugle("show", plan, "--format", "json", "--language", "en")
            #expect(try json.output == String(contentsOf: URL(filePath: plan), encoding: .utf8))
            let run = try await world.bugle("apply", plan)
            #expect(run.status == 0 && run.output.contains("执行完毕："), "\(run.everything)")
            #expect(try await world.inbox("d0") == ["one": 1])
        }
    }

    @Test func anotherLanguageMakesNoPlanStale() async throws {
        try await World.run(Self.files) { world in
            try await world.devices(1)
            #expect(try await world.bugle("plan", "--out", world.path("plan.json")).status == 0)
            try speak("zh-Hans", world)
            let run = try await world.bugle("apply", world.path("plan.json"))
            #expect(run.status == 0, "\(run.everything)")
        }
    }

    @Test func diagnosticsStayEnglish() async throws {
        try await World.run(["broken.yaml": "kind: Campaign\nname: broken\n"]) { world in
            let run = try await world.bugle("validate", "--language", "zh-Hans")
            #expect(run.status == 3 && run.errors.contains("error: missing key 'audience'"), "\(run.everything)")
            #expect(run.errors.contains("个错误"))
        }
    }
}
