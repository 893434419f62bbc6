internal import Base
internal import Testing

@testable internal import Push

@Suite struct AudienceReviewJSONTests {
    private static func plan(_ review: AudienceReview) -> Plan {
        var plan = PlanFixtures.plan()
        for index in plan.changes.indices { plan.changes[index].audience?.review = review }
        return plan
    }

    private static func review(name: String = "Asia/Shanghai") -> AudienceReview {
        var review = AudienceReview()
        review.explanation = AudienceCount(
            devices: 12_345, platforms: ["ios": 12_000, name: 345],
            deviceProfiles: .init([("", 45), (name, 12_300)]) { $1 },
            timeZones: .init([("", 50), (name, 900)]) { $1 }, timeZoneSample: 1000,
            leftOut: [.invalid: 1, .stale: 2, .otherProfile: 3, .otherPlatform: 4])
        review.environments = [.production: 12_000, .development: 1]
        review.lastDelivery = .init(revision: 3, at: PlanFixtures.now + .milliseconds(5), devices: 12_000)
        review.overlaps = [.init(campaign: name, devices: 7), .init(campaign: "b", devices: 2)]
        return review
    }

    private func audience(_ plan: Plan) throws -> JSONValue {
        let changes = try #require(plan.json["changes"]?.array)
        return try #require(changes.first { $0["name"] == "giants-score" }?["audience"])
    }

    @Test(arguments: ["Asia/Shanghai", "", PlanFixtures.hostile, "日本"])
    func aReviewIsReadAsItWasWritten(_ name: String) throws {
        let plan = Self.plan(Self.review(name: name))
        #expect(try Plan.read(saved: plan.savedBytes()) == plan)
    }

    @Test func partsAreReadAsTheyWereWritten() throws {
        var empty = AudienceReview()
        empty.explanation = AudienceCount(devices: 0)
        var shared = AudienceReview()
        shared.overlaps = [.init(campaign: "b", devices: 1)]
        for review in [empty, shared] {
            let plan = Self.plan(review)
            #expect(try Plan.read(saved: plan.savedBytes()) == plan)
        }
    }

    @Test func whatIsNotKnownIsLeftOut() throws {
        #expect(try audience(Self.plan(AudienceReview())) == ["devices": 12_345, "description": "plain"])
        var review = AudienceReview()
        review.explanation = AudienceCount(devices: 9, platforms: ["ios": 9])
        #expect(
            try audience(Self.plan(review)) == [
                "devices": 12_345, "description": "plain", "explanation": ["devices": 9, "platforms": ["ios": 9]],
            ])
    }

    @Test func theMembersAreNamedAsTheModelNamesThem() throws {
        #expect(
            try audience(Self.plan(Self.review())) == [
                "devices": 12_345, "description": "plain",
                "explanation": [
                    "devices": 12_345, "platforms": ["ios": 12_000, "Asia/Shanghai": 345],
                    "deviceProfiles": ["": 45, "Asia/Shanghai": 12_300],
                    "timeZones": ["Asia/Shanghai": 900, "": 50], "timeZoneSample": 1000,
                    "skipped": ["invalid": 1, "stale": 2, "otherProfile": 3, "otherPlatform": 4],
                ],
                "environments": ["production": 12_000, "development": 1],
                "lastDelivery": ["revision": 3, "at": "2026-11-20T12:00:00.005Z", "devices": 12_000],
                "overlaps": [
                    ["campaign": "Asia/Shanghai", "devices": 7], ["campaign": "b", "devices": 2],
                ],
            ])
    }

    @Test(
        arguments: [
            "\"ios\": 9", "\"Asia/Shanghai\": 9", "\"stale\": 9", "\"production\": 9",
        ], ["-1", "9223372036854775807", "-9223372036854775808"])
    func aNumberThatNoAudienceHasIsRefused(_ member: String, _ number: String) throws {
        var review = AudienceReview()
        review.explanation = AudienceCount(
            devices: 9, platforms: ["ios": 9], timeZones: ["Asia/Shanghai": 9], leftOut: [.stale: 9])
        review.environments = [.production: 9]
        let text = String(decoding: Self.plan(review).savedBytes(), as: UTF8.self)
        #expect(text.contains(member))
        let altered = text.replacing(member, with: member.dropLast() + number)
        #expect(try SavedPlanTests.fault(resealed(altered)) != nil)
    }

    @Test(arguments: [("\"stale\"", "\"asleep\"", ".skipped"), ("\"development\"", "\"moon\"", ".environments")])
    func aWordOfAnotherVersionIsNamed(_ known: String, _ unknown: String, _ member: String) throws {
        let text = String(decoding: Self.plan(Self.review()).savedBytes(), as: UTF8.self)
        let fault = try SavedPlanTests.fault(resealed(text.replacing(known, with: unknown)))
        #expect(fault?.contains(member) == true, "\(fault ?? "")")
    }

    /// A plan file whose text was altered, with the hash that fits it.
    private func resealed(_ text: String) throws -> [UInt8] {
        let end = try #require(text.firstRange(of: ",\n  \"integrity\""))
        return SavedPlanTests.sealed(start: text[..<end.lowerBound])
    }
}
