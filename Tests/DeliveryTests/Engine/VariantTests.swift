import Base
import DeliveryTesting
import Push
import Testing

@testable import Delivery
@testable import DeviceRegistry

/// Tests of variants, over a registry's file; killed ones are in `PartKillTests`.
@Suite struct VariantTests {
    private static func test(
        _ otherwise: VariantTest.Otherwise = .abandon, winner: String? = nil
    ) -> VariantTest {
        VariantTest(
            arms: [.init(name: "plain", share: Share(parts: 2000)), .init(name: "emoji", share: Share(parts: 1000))],
            decideBy: .seconds(86_400), otherwise: otherwise, winner: winner, window: .seconds(3600))
    }

    private static func payload(_ body: String) -> JSONValue { ["aps": ["alert": ["body": .string(body)]]] }

    /// A job with two variants in two languages, one of which says a device's name.
    private func job(_ site: Site, _ test: VariantTest) -> DeliveryJob {
        var job = site.job(.variants(test), window: .seconds(3600))
        job.order.isPersonal = true
        job.order.languages = DeliveryOrder.Languages(
            field: "language", payloads: [.init(name: "de", payload: Self.payload("de"))])
        job.order.variants = [
            [Self.payload("emoji {{firstName|there}}"), Self.payload("emoji de {{points|0}} {{firstName|Du}}")],
            [Self.payload("plain"), Self.payload("plain de {{firstName|Sie}}")],
        ]
        return job
    }

    private func site(_ count: Int = 400) async throws -> Site {
        let site = try Site(FakeApple())
        for index in 0..<count {
            _ = try await site.registry.create(
                [
                    "deviceType": "ios", "deviceToken": .string("ab\(100_000 + index)"), "deviceProfile": "app",
                    "language": index % 2 == 0 ? "de" : "fr", "firstName": .string("N\(index)"), "points": 7,
                ], in: .installation, as: .master, at: FakeClock.start)
        }
        return site
    }

    private func words(_ index: Int, _ arm: String) -> String {
        switch (arm, index % 2) {
        case ("emoji", 0): "emoji de 7 N\(index)"
        case ("emoji", _): "emoji N\(index)"
        case (_, 0): "plain de N\(index)"
        case (_, _): "plain"
        }
    }

    private func arms(_ site: Site, _ job: DeliveryJob) async throws -> [Int: String] {
        let buckets = Buckets(salt: job.id)
        var arms: [Int: String] = [:]
        let query = ObjectQuery(limit: 1000)
        for device in try await site.registry.find(query, in: .installation, as: .master).results {
            guard let token = device["deviceToken"]?.string, let index = Int(token.dropFirst(2)),
                let id = device["objectId"]?.string
            else { continue }
            arms[index - 100_000] = Self.test().arm(ofBucket: buckets.bucket(of: Array(id.utf8))).map {
                Self.test().arms[$0].name
            }
        }
        return arms
    }

    @Test func eachTestsItsVariantAndTheRestWaitsForTheWinner() async throws {
        let site = try await site()
        let job = job(site, Self.test())
        let arms = try await arms(site, job)
        let until = try #require(try await site.run("one", Life(), job).stopWhileSending?.until)
        #expect(
            try #require(try await site.store.journal(of: job.id)).parts.map(\.figures.waiting) == [
                0, 400 - arms.count,
            ])
        #expect(until > site.clock.now && until <= site.clock.now + .seconds(86_400))
        #expect(try site.apple.texts.count == arms.count)
        // The winner comes with the order that a later apply has, long before the time is over.
        site.clock.advance(.seconds(7200))
        let figures = try #require(
            try await site.run("two", Life(), self.job(site, Self.test(winner: "emoji"))).figures)
        #expect(ExactlyOnce.violations(figures, received: site.apple.received, kills: 0) == [])
        #expect(figures.accepted == 400)
        let verdict = try #require(figures.parts.first?.verdict)
        #expect(verdict.decision == .proceed && verdict.winner == "emoji" && verdict.answers.accepted == arms.count)
        for (token, text) in try site.apple.texts {
            let index = try #require(Int(token.dropFirst(2))) - 100_000
            #expect(text == words(index, arms[index] ?? "emoji"))
        }
        let byArm = figures.parts[0].forms
        for (arm, name) in ["emoji", "plain"].enumerated() {
            let accepted = (0..<2).reduce(0) { $0 + (byArm[arm * 2 + $1]?.accepted ?? 0) }
            #expect(accepted == arms.values.count { $0 == name })
        }
    }

    @Test func theRestGetsTheOtherVariantOnceTheTimeIsOver() async throws {
        let site = try await site()
        let job = job(site, Self.test(.arm("plain")))
        let arms = try await arms(site, job)
        _ = try await site.run("one", Life(), job)
        site.clock.advance(.seconds(86_400 + 60))
        let figures = try #require(try await site.run("two", Life(), job).figures)
        #expect(figures.accepted == 400 && figures.parts.first?.verdict?.winner == "plain")
        #expect(figures.parts.first?.verdict?.decision == .go)
        for (token, text) in try site.apple.texts {
            let index = try #require(Int(token.dropFirst(2))) - 100_000
            #expect(text == words(index, arms[index] ?? "plain"))
        }
    }

    @Test func theRestOfAnAbandonedTestGetsNothing() async throws {
        let site = try await site()
        let job = job(site, Self.test())
        let tested = try await arms(site, job).count
        _ = try await site.run("one", Life(), job)
        site.clock.advance(.seconds(86_400 + 60))
        let figures = try #require(try await site.run("two", Life(), job).figures)
        #expect(figures.accepted == tested && figures.missed == 400 - tested)
        #expect(figures.parts.first?.verdict?.winner == nil && figures.parts.first?.verdict?.decision == .halt)
        // A winner that comes later changes nothing.
        let again = try await site.run("three", Life(), self.job(site, Self.test(winner: "emoji"))).figures
        #expect(again == figures && site.apple.received.count == tested)
    }

    @Test func aRestWhoseTimeHasPassedIsMissed() async throws {
        let site = try await site()
        let job = job(site, Self.test(.arm("plain")))
        let tested = try await arms(site, job).count
        _ = try await site.run("one", Life(), job)
        site.clock.advance(.seconds(86_400 + 3700))
        let late = self.job(site, Self.test(.arm("plain"), winner: "emoji"))
        let figures = try #require(try await site.run("two", Life(), late).figures)
        #expect(figures.accepted == tested && figures.missed == 400 - tested)
    }

    @Test func theWinnerThatIsRecordedFirstGoesToTheWholeRest() async throws {
        for acts in 1..<400 {
            let site = try await site(30)
            let arms = try await arms(site, job(site, Self.test()))
            _ = try await site.run("one", Life(), job(site, Self.test()), batchSize: 4)
            let life = Life(acts: acts)
            _ = try await site.run("two", life, job(site, Self.test(winner: "emoji")), batchSize: 4)
            let named = try #require(try await site.store.journal(of: job(site, Self.test()).id)).parts[0].verdict?
                .winner
            let other = job(site, Self.test(.arm("plain"), winner: "plain"))
            let figures = try #require(try await site.run("three", Life(), other, batchSize: 4).figures)
            let winner = try #require(figures.parts[0].verdict?.winner)
            #expect(winner == named ?? "plain", "killed after \(acts) acts")
            for (token, text) in try site.apple.texts {
                let index = try #require(Int(token.dropFirst(2))) - 100_000
                #expect(text == words(index, arms[index] ?? winner), "killed after \(acts) acts")
            }
            #expect(ExactlyOnce.violations(figures, received: site.apple.received, kills: 1, batchSize: 4) == [])
            if !life.isOver { return }
        }
        Issue.record("it never outlived its acts")
    }

    @Test func aTestWithoutARestEndsWithItsAnswers() async throws {
        let site = try Site(FakeApple())
        var job = job(site, Self.test())
        let buckets = Buckets(salt: job.id)
        let tokens = (100_000..<102_000).map { "ab\($0)" }.filter {
            Self.test().arm(ofBucket: buckets.bucket(of: Array($0.utf8))) != nil
        }
        job.order.target = .devices(Array(tokens.prefix(5)))
        let figures = try #require(try await site.run("one", Life(), job).figures)
        #expect(figures.accepted == 5 && figures.parts.map(\.verdict) == [nil, nil])
    }

    @Test func ofAMillionDevicesEachVariantHasItsShare() {
        let (test, buckets) = (Self.test(), Buckets(salt: "17f3a4b5c6d7e8f9"))
        let sieve = AudienceSieve(holdout: Holdout(share: Share(parts: 500), salt: "2027-q1"))
        var counts = [0, 0, 0]
        for number in 0..<1_000_000 {
            let key = Array("device\(number)".utf8)
            let fate = sieve.fate(.reached(0), DeviceTraits(objectID: key), number: 1, token: [])
            if case .reached = fate { counts[test.arm(ofBucket: buckets.bucket(of: key)) ?? 2] += 1 }
        }
        let all = Double(counts.reduce(0, +))
        for (count, share) in zip(counts, test.arms.map(\.share.fraction) + [test.restShare.fraction]) {
            #expect(abs(Double(count) - all * share) < 3 * (all * share * (1 - share)).squareRoot())
        }
    }

    @Test func theDifferenceThatATestShowsIsThatOfATable() {
        // n = 1,569 in each of two groups show 5 points at a rate of one half, with 80 % power.
        #expect(abs(VariantTest.detectableDifference(1569, 1569) - 0.05) < 0.0001)
        #expect(VariantTest.detectableDifference(0, 5) == 1)
    }

    @Test func anOrderIsReadAsItWasWritten() throws {
        let site = try Site(FakeApple())
        for test in [Self.test(), Self.test(.arm("plain"), winner: "emoji")] {
            let order = job(site, test).order
            #expect(try DeliveryOrder(order.body) == order)
            var body = order.body
            body["rollout"] = [:]
            #expect(throws: DeliveryOrderError.self) { try DeliveryOrder(body) }
        }
        let request = job(site, Self.test()).order.request
        #expect(request.winner == nil && request.otherwise == "abandon" && request.choosing("other") == nil)
        let chosen = try #require(request.choosing("emoji"))
        #expect(chosen.winner == "emoji")
        #expect(try DeliveryOrder(chosen.body).test == Self.test(winner: "emoji"))
    }
}
