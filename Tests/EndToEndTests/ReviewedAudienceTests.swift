import Base
import Testing

@Suite struct ReviewedAudienceTests {
    private func audience(_ plan: String, _ campaign: String) throws -> JSONValue {
        let changes = try #require(try JSONValue(parsing: plan)["changes"]?.array)
        return try #require(changes.first { $0["name"]?.string == campaign }?["audience"])
    }

    @Test func aPlanTellsWhomItReachesAndWarnsAlikeInEveryForm() async throws {
        let files = ["a.yaml": String.giants, "b.yaml": .campaign("one"), "c.yaml": .campaign("two")]
        try await World.run(files) { world in
            try await world.devices(3, prefix: "token-of-a-device-")
            for (name, more) in [("zone", ["timeZone": "Asia/Shanghai"]), ("dead", ["valid": false])]
                as [(String, JSONValue)]
            {
                var device: JSONValue = [
                    "deviceType": "ios", "deviceToken": .string("token-of-a-device-\(name)"), "channels": ["Giants"],
                ]
                for (key, value) in more.object ?? [:] { device[key] = value }
                _ = try await world.call("POST", "/installations", device)
            }
            _ = world.takeSeen()
            let text = try await world.bugle("plan")
            #expect(text.status == 0, "\(text.everything)")
            let asked = world.takeSeen().count

            let json = try await world.bugle("plan", "--format", "json", "--record", "state.txt", "--out", "plan.json")
            #expect(json.status == 0, "\(json.everything)")
            // What is asked, and so what is warned about, does not depend on the form.
            #expect(world.takeSeen().count == asked)
            #expect(text.output.contains("warning: 4 devices get two at the same time as one"))
            for (name, other) in [("one", "two"), ("two", "one")] {
                #expect(
                    try audience(json.output, name) == [
                        "devices": 4, "leftOut": ["invalid": 1], "description": "channel Giants, on ios",
                        "descriptionCode": "both",
                        "descriptionValues": [
                            ["reason": ["text": "channel Giants", "code": "channel", "values": [["text": "Giants"]]]],
                            ["reason": ["text": "on ios", "code": "platform", "values": [["text": "ios"]]]],
                        ],
                        "explanation": [
                            "devices": 4, "platforms": ["ios": 4], "deviceProfiles": ["": 4],
                            "timeZones": ["": 3, "Asia/Shanghai": 1], "skipped": ["invalid": 1],
                        ],
                        "environments": ["production": 4],
                        "overlaps": [["campaign": .string(other), "devices": 4]],
                    ])
            }
            let recorded = try await world.bugle("plan", "--format", "json", "--against", "state.txt")
            #expect(try audience(recorded.output, "one") == audience(json.output, "one"))
            let shown = try await world.bugle("show", "plan.json", "--format", "json")
            #expect(shown.output == json.output)
            for run in [text, json, recorded, shown] { #expect(!run.everything.contains("token-of-a-device")) }

            // What was reviewed is what is applied; the next plan knows what was delivered.
            let applied = try await world.bugle("apply", "plan.json")
            #expect(applied.status == 0, "\(applied.everything)")
            try world.write("b.yaml", .campaign("one", more: "expiration: {after: 7d}\nrevision: 2"))
            let next = try await world.bugle("plan", "--format", "json")
            #expect(try audience(next.output, "one")["lastDelivery"]?["devices"] == 4)
            #expect(try audience(next.output, "one")["lastDelivery"]?["revision"] == 1)
        }
    }
}
