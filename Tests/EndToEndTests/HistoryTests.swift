import Base
import Foundation
import Testing

/// `bugle history` and the times of `bugle status`, with the ledgers that there are.
@Suite struct HistoryTests {
    private static func job(_ actor: String, _ number: Int) -> [String: String] {
        [
            "GITHUB_ACTOR": actor, "GITHUB_RUN_NUMBER": "\(number)", "TZ": "Asia/Shanghai",
            "GITHUB_SHA": String(repeating: "\(number)", count: 40),
        ]
    }

    @Test func whoAppliedWhatAndWhenIsReadFromTheLedgerOfAServer() async throws {
        try await World.run(["a.yaml": .giants, "b.yaml": .campaign("one")]) { world in
            try await world.devices(3)
            let first = try await world.bugle(["apply", "--auto-approve"], environment: Self.job("hayes", 1))
            #expect(first.status == 0, "\(first.everything)")
            world.advance(.seconds(2 * 86_400))
            try world.write("c.yaml", .campaign("two"))
            let second = try await world.bugle(["apply", "--auto-approve"], environment: Self.job("willie", 2))
            #expect(second.status == 0, "\(second.everything)")
            let run = try await world.bugle(["history"], environment: ["TZ": "Asia/Shanghai"])
            #expect(run.status == 0, "\(run.everything)")
            let rows = run.output.split(separator: "\n").filter { $0.hasPrefix("2026-") }
                .map { $0.split(separator: " ", omittingEmptySubsequences: true).joined(separator: " ") }
            try #require(rows.count == 2, "\(run.output)")
            // The server's clock stands still, and an apply counts on from it: a busy machine's is later.
            for (row, (day, rest)) in zip(
                rows,
                [("23", "willie two@1 sent 3 simulated 2222222"), ("21", "hayes one@1 sent 3 simulated 1111111")])
            {
                #expect(row.hasPrefix("2026-11-\(day) 20:"), "\(run.output)")
                #expect(row.dropFirst("2026-11-23 20:00 ".count).hasPrefix(rest), "\(run.output)")
            }
            #expect(run.output.contains("APPLIED +08:00") && run.output.contains("github run 2"), "\(run.output)")

            let files = ["--format", "json", "--format", "csv=history.csv"]
            let day = try await world.bugle(["history", "--since", "24h"] + files)
            #expect(day.status == 0, "\(day.everything)")
            let json = try JSONValue(parsing: day.output)
            #expect(json["applied"]?.array?.map { $0["campaign"] } == ["two"] && json["earlier"] == 1)
            #expect(json["applied"]?.array?.first?["run"] == "github run 2")
            let csv = try String(contentsOf: URL(filePath: world.path("history.csv")), encoding: .utf8)
            #expect(csv.hasPrefix("appliedAt,actor,campaign,"))
            #expect(csv.contains("\r\n2026-11-23T12:") && csv.contains("Z,willie,two,1,,sent,"), "\(csv)")

            let chinese = try await world.bugle("history", "--language", "zh-Hans")
            #expect(chinese.output.contains("执行时间") && chinese.output.contains("模拟 3"), "\(chinese.output)")
            #expect(try await world.bugle("history", "--since", "soon").status == 64)
            #expect(try await world.bugle("history", "--format", "html").status == 64)
        }
    }

    @Test func theLedgerBesideAppleHasAHistoryToo() async throws {
        try await AppleWorld.run(["a.yaml": .giants, "b.yaml": .campaign("one")], devices: 5) { world in
            try await world.apply()
            let run = try await world.bugle("history", "--format", "json")
            #expect(run.status == 0, "\(run.everything)")
            let row = try #require(try JSONValue(parsing: run.output)["applied"]?.array?.first)
            #expect(row["campaign"] == "one" && row["devices"] == 5 && row["successes"] == 5, "\(run.output)")
            #expect(row["actor"]?.string?.isEmpty == false && row["appliedAt"]?.string != nil, "\(run.output)")
            let text = try await world.bugle("history")
            #expect(text.output.contains(" one@1 ") && text.output.contains("1 delivery: 1 sent."), "\(text.output)")
        }
    }

    @Test func timesAreByThePolicysClockElseByThisMachines() async throws {
        let quiet = "{quietHours: {from: \"22:00\", to: \"08:00\", timeZone: America/New_York}}"
        for (policy, heading, time) in [
            ("{}", "AT +08:00", "2026-11-21 20:"), (quiet, "AT -05:00", "2026-11-21 07:"),
        ] {
            try await World.run(["a.yaml": .giants, "b.yaml": .campaign("one")]) { world in
                try await world.subscribers(1000, prefix: "d")
                try await world.subscribers(681, prefix: "e")
                try await world.apply()
                let workspace = try String(contentsOf: URL(filePath: world.path("bugle.yaml")), encoding: .utf8)
                try world.write(
                    "bugle.yaml", workspace.replacingOccurrences(of: "policy: {}", with: "policy: " + policy))
                let run = try await world.bugle(["status"], environment: ["TZ": "Asia/Shanghai"])
                #expect(run.status == 0, "\(run.everything)")
                #expect(run.output.contains(heading) && run.output.contains(time), "\(run.output)")
                #expect(run.output.contains("1,681 simulated") && !run.output.contains("REASON"), "\(run.output)")
                for line in run.output.split(separator: "\n") { #expect(line.count <= 80, "\(line)") }
            }
        }
    }
}
