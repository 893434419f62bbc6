import Base
import HTTP
import Push
import RemoteTesting
import Testing

@testable import LeanCloud

@Suite struct ExplainingTests {
    private let service = FakeService()

    private func register(_ count: Int, _ members: JSONValue, seen age: Duration = .zero) {
        let all: JSONValue = ["deviceType": "ios", "valid": true, "channels": ["news"], "deviceToken": "5ec2e7"]
        let device = JSONValue.object((all.object ?? [:]).merging(members.object ?? [:]) { $1 })
        for _ in 0..<count { service.register(device, seen: age) }
    }

    private func explain(
        _ condition: JSONValue = ["channels": "news"], profiles: [String] = []
    ) async throws -> AudienceCount {
        // Once the clock is known, as in a plan.
        let reader = service.reader
        reader.api.clock.note(service.now)
        return try await reader.explain(condition, deviceProfiles: profiles)
    }

    private var questions: [FakeService.Seen] { service.seen.filter { $0.path == "/1.1/installations" } }

    @Test func aSmallAudienceIsToldByOneAnswer() async throws {
        register(3, ["timeZone": "Asia/Shanghai", "deviceProfile": "driver"])
        register(2, ["deviceType": "android", "timeZone": 5])
        register(1, ["valid": false])
        register(4, [:], seen: .seconds(91 * 86_400))
        #expect(
            try await explain(profiles: ["driver", "passenger"])
                == AudienceCount(
                    devices: 5, platforms: ["ios": 3, "android": 2], deviceProfiles: ["driver": 3, "": 2],
                    timeZones: ["Asia/Shanghai": 3, "": 2], leftOut: [.invalid: 1, .stale: 4]))
        #expect(questions.count == 3)
        #expect(questions.first?.query["keys"] == "deviceProfile,deviceType,timeZone")
        #expect(questions.first?.query["order"] == "-updatedAt")
        #expect(service.seen.allSatisfy { $0.method == .get && $0.repetition == .repeatable })
    }

    @Test func ofALargeAudienceTheNewestThousandAreASampleAndTheRestIsCounted() async throws {
        register(900, ["timeZone": "Asia/Shanghai", "deviceProfile": "driver"])
        register(300, ["deviceType": "android"])
        register(50, ["deviceProfile": "passenger"])
        let explanation = try await explain(profiles: ["passenger"])
        #expect(explanation.devices == 1250)
        #expect(explanation.platforms == ["ios": 950, "android": 300])
        #expect(explanation.deviceProfiles == ["driver": 900, "passenger": 50, "": 300])
        #expect(explanation.timeZoneSample == 1000)
        #expect(explanation.timeZones == ["Asia/Shanghai": 900, "": 100])
        let count = try await service.reader.count(["channels": "news"])
        #expect(count.devices == explanation.devices)
    }

    @Test func aConditionOnTheProfileLeavesNoOther() async throws {
        register(1200, ["deviceProfile": "driver"])
        let explanation = try await explain(
            ["deviceProfile": "driver", "deviceType": "ios"], profiles: (0..<40).map { "p\($0)" })
        #expect(explanation.deviceProfiles == ["driver": 1200])
        #expect(explanation.platforms == ["ios": 1200])
        #expect(questions.count == 4)
    }

    @Test func requestsAreBoundedHoweverManyNamesThereAre() async throws {
        for index in 0..<400 {
            register(
                3,
                [
                    "deviceProfile": .string("p\(index)"), "timeZone": .string("z\(index)"),
                    "deviceType": .string("t\(index)"),
                ])
        }
        let explanation = try await explain(profiles: (0..<1000).map { "q\($0)" })
        let most: Int = 1 + 2 + 52 + 50
        #expect(questions.count <= most)
        // Nobody can say that the rest bears none.
        #expect(explanation.deviceProfiles.count <= 50 && explanation.deviceProfiles[""] == nil)
        #expect(explanation.otherDeviceProfiles > 0)
        #expect(explanation.platforms.count <= 50)
        #expect(explanation.timeZones.count == 50)
        #expect(explanation.devices == 1200)
        #expect(explanation.otherTimeZones > 0)
    }

    @Test func aDeviceTokenIsNeverAskedForNorTold() async throws {
        let token = String(repeating: "ab12", count: 16)
        register(2, ["timeZone": .string(token), "deviceProfile": .string(token), "deviceType": .string(token)])
        let explanation = try await explain()
        #expect(explanation.devices == 2)
        #expect("\(explanation)".contains(token) == false)
        #expect(explanation.otherTimeZones == 2 && explanation.otherPlatforms == 2)
        #expect(questions.allSatisfy { $0.query["keys"]?.contains("Token") != true })
    }

    @Test func anInvalidDeviceThatIsAlsoStaleCountsOnce() async throws {
        register(1, ["valid": false], seen: .seconds(200 * 86_400))
        register(1, ["valid": nil], seen: .seconds(200 * 86_400))
        #expect(try await explain().leftOut == [.invalid: 2])
    }

    /// Of what a server that reaches Apple only leaves out, each device counts for one reason.
    @Test func whereOnlyAppleIsReachedEachThatIsLeftOutHasItsReason() async throws {
        service.with { $0.headers["X-Bugle-Devices"] = "apple" }
        register(5, [:])
        register(3, ["deviceType": "android"])
        register(2, ["deviceType": "android", "valid": false], seen: .seconds(200 * 86_400))
        register(4, ["deviceType": "wp"])
        for valid in [true, false] {
            service.register(["deviceType": "ios", "valid": .bool(valid), "channels": ["news"]])
        }
        register(6, ["deviceType": "macos"], seen: .seconds(91 * 86_400))
        register(1, ["valid": false])
        register(7, ["valid": false], seen: .seconds(200 * 86_400))
        let reader = service.reader
        _ = try await reader.now()
        let skipped: [LeftOut: Int] = [.android: 5, .otherPlatform: 6, .stale: 6, .invalid: 8]
        let explanation = try await reader.explain(["channels": "news"], deviceProfiles: [])
        #expect(explanation.devices == 5 && explanation.leftOut == skipped, "\(explanation)")
        let count = try await reader.count(["channels": "news"])
        #expect(count.devices == 5 && count.leftOut == skipped, "\(count)")
    }

    @Test func whereAServerReachesMoreThanAppleTheDevicesAreCountedByService() async throws {
        service.with { $0.headers["X-Bugle-Devices"] = "apple, fcm, mi" }
        register(5, [:])
        register(3, ["deviceType": "android", "vendor": "fcm", "registrationId": "r"])
        register(2, ["deviceType": "android", "vendor": "MI", "registrationId": "r"])
        register(4, ["deviceType": "android", "vendor": "lc"])
        let reader = service.reader
        _ = try await reader.now()
        let explanation = try await reader.explain(["channels": "news"], deviceProfiles: [])
        #expect(explanation.ways == ["apns": 5, "fcm": 3, "mi": 2], "\(explanation)")
        #expect(explanation.devices == 10 && explanation.leftOut[.android] == 4, "\(explanation)")
    }

    @Test func anAppWithoutDevicesHasEmptyAudiences() async throws {
        #expect(try await explain() == AudienceCount(devices: 0))
        register(1, [:])
        #expect(try await explain(["channels": "nobody"]) == AudienceCount(devices: 0))
    }

    @Test(arguments: [
        #"{"results":[]}"#, #"{"count":3}"#, #"{"results":{},"count":3}"#, #"{"results":[],"count":-1}"#,
    ])
    func anAnswerOfAnotherShapeIsAnError(_ body: String) async {
        service.script(.get, "/installations", .answer(200, body))
        let error = await #expect(throws: RemoteError.self) {
            try await service.reader.explain([:], deviceProfiles: [])
        }
        #expect(error?.kind == .unexpectedAnswer)
    }

    @Test func oneFailedCountFailsTheExplanation() async {
        register(1, [:])
        service.script(.get, "BugleLock", .answer(200, #"{"results":[]}"#))
        service.script(
            .get, "/installations", .answer(200, #"{"results":[],"count":99}"#),
            .answer(400, #"{"code":102,"error":"no"}"#))
        let error = await #expect(throws: RemoteError.self) {
            try await service.reader.explain(["channels": "news"], deviceProfiles: ["a", "b"])
        }
        #expect(error?.kind == .refused)
    }
}
