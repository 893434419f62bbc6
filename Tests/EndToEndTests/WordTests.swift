import Base
import Foundation
import ProgramTesting
import Testing

/// Messages in several languages and with values of devices by the built program, straight to a simulated Apple.
@Suite struct WordTests {
    private static let campaign = """
        kind: Campaign
        name: one
        audience: {channels: [Giants], platforms: [ios]}
        message:
          body: "Hello {{firstName|there}}"
          languages:
            zh-Hans: {body: "{{firstName|您}}好"}
            zh-Hant: {body: "{{firstName|您}}好嗎"}
        expiration: {after: 7d}

        """
    private static let files = ["a.yaml": String.giants, "one.yaml": campaign]
    private static let policy = "{languageField: language}"

    @Test func eachDeviceReadsItsLanguageAndItsOwnNameAndThePlanHasNone() async throws {
        try await AppleWorld.run(Self.files, policy: Self.policy) { world in
            let hostile = "<img src=x>\"}‮{{firstName|x}}"
            try await world.devices(0..<1, fields: ["language": "en-US", "firstName": .string(hostile)])
            try await world.devices(1..<2, fields: ["language": "zh_TW", "firstName": "小明"])
            try await world.devices(2..<3, fields: ["language": "zh-Hans-CN"])
            try await world.devices(3..<4, fields: ["firstName": 7])
            for format in ["text", "markdown", "html", "json"] {
                let plan = try await world.bugle("plan", "--format", format)
                #expect(plan.status == 0 || plan.status == 2, "\(plan.everything)")
                #expect(!plan.everything.contains("小明") && !plan.everything.contains("img src"), "\(plan.everything)")
            }
            let plan = try await world.bugle("plan", "--out", "plan.json", "--format", "json")
            let saved = try String(contentsOf: world.folder.appending(path: "plan.json"), encoding: .utf8)
            #expect(!saved.contains("小明") && saved.contains("\"zh-Hant\""), "\(plan.everything)")
            try await world.apply()
            let texts = try await (0..<4).asyncMap { try await world.simulator.texts(world.token($0)) }
            #expect(texts == [["Hello " + hostile], ["小明好嗎"], ["您好"], ["Hello 7"]])
            try await world.apply()
            #expect(try await world.received() == (4, 4, 0))
        }
    }

    @Test func aValueThatMakesThePayloadTooLargeBlocksThePlanAndSaysHowLargeItWouldBe() async throws {
        try await AppleWorld.run(Self.files, policy: Self.policy) { world in
            try await world.devices(0..<3)
            try await world.devices(3..<4, fields: ["firstName": .string(String(repeating: "x", count: 5000))])
            let plan = try await world.bugle("plan")
            #expect(
                plan.everything.contains("the payload is too large with the values of some devices (1): up to 5,"),
                "\(plan.everything)")
            let apply = try await world.apply(expecting: nil)
            #expect(apply.status == 6, "\(apply.everything)")
            #expect(try await world.received().devices == 0)
        }
    }
}

extension Sequence {
    fileprivate func asyncMap<Value>(_ body: (Element) async throws -> Value) async rethrows -> [Value] {
        var values: [Value] = []
        for element in self { values.append(try await body(element)) }
        return values
    }
}
