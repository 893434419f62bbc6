import Base
import DeliveryTesting
import Push
import RegistryTesting
import Testing

@testable import DeviceRegistry

/// Holdouts and frequency rules, over many devices and many deliveries; PostgreSQL's are in `PostgresPartTests`.
@Suite struct RuleTests {
    private static let million = 1_000_000

    /// The largest distance of a binomial count from its mean: three standard deviations.
    private static func slack(_ share: Share, of count: Int) -> Double {
        3 * (Double(count) * share.fraction * (1 - share.fraction)).squareRoot()
    }

    @Test func ofAMillionDevicesAHoldoutHasItsShareAndNothingElseReachesIt() {
        let holdout = Holdout(share: Share(parts: 500), salt: "2027-q1")
        let sieve = AudienceSieve(holdout: holdout)
        let stages = ["1%", "10%", "100%"].compactMap { Share($0) }
        let rollout = Rollout(stages: stages, bake: .zero, stopWhen: Rollout.Limits())
        let buckets = Buckets(salt: "17f3a4b5c6d7e8f9")
        var (held, byStage) = (0, [Int](repeating: 0, count: 4))
        for number in 0..<Self.million {
            let key = Array("device\(number)".utf8)
            let fate = sieve.fate(.reached(0), DeviceTraits(objectID: key), number: Int64(number), token: [])
            switch fate {
            case .leftOut(.heldOut): held += 1
            case .reached: byStage[rollout.stage(ofBucket: buckets.bucket(of: key))] += 1
            case .leftOut: Issue.record("\(fate)")
            }
        }
        let reached = Self.million - held
        #expect(abs(Double(held) - 50_000) < Self.slack(holdout.share, of: Self.million))
        // Who is held out says nothing of who is in which stage.
        for stage in 1...3 {
            let share = rollout.share(ofStage: stage)
            #expect(abs(Double(byStage[stage] - share.of(reached))) < Self.slack(share, of: reached) + 1)
        }
    }

    @Test func anotherWordHoldsOutOtherDevices() {
        let (one, other) = (Buckets(salt: "2027-q1"), Buckets(salt: "2027-q2"))
        let both = (0..<100_000).count { number in
            one.bucket(of: Array("device\(number)".utf8)) < 1000
                && other.bucket(of: Array("device\(number)".utf8)) < 1000
        }
        // As many as chance puts into both.
        #expect(abs(Double(both) - 1000) < Self.slack(Share(parts: 100), of: 100_000))
    }

    @Test func aDeviceThatIsNotRegisteredIsHeldOutByItsToken() {
        let sieve = AudienceSieve(holdout: Holdout(share: Share(parts: 5000), salt: "a"))
        let buckets = Buckets(salt: "a")
        for token in (0..<50).map({ "AB\(100_000 + $0)" }) {
            let isHeld = buckets.bucket(of: Array(token.lowercased().utf8)) < 5000
            let fate = sieve.fate(.reached(0), DeviceTraits(), number: 0, token: Array(token.utf8))
            #expect(fate == (isHeld ? .leftOut(.heldOut) : .reached(0)))
        }
    }

    @Test func aHoldoutHasTheBucketsBelowItsShareAndNoOther() {
        let (buckets, key) = (Buckets(salt: "a"), Array("device1".utf8))
        let bucket = buckets.bucket(of: key)
        for (parts, fate) in [(bucket, AudienceFate.reached(0)), (bucket + 1, .leftOut(.heldOut))] {
            let sieve = AudienceSieve(holdout: Holdout(share: Share(parts: parts), salt: "a"))
            #expect(sieve.fate(.reached(0), DeviceTraits(objectID: key), number: 1, token: []) == fate)
        }
    }

    @Test func whomNoRouteReachesIsNotCountedAsHeldOut() {
        let sieve = AudienceSieve(holdout: Holdout(share: .whole, salt: "a"))
        #expect(sieve.fate(.leftOut(.stale), DeviceTraits(objectID: [1]), number: 1, token: []) == .leftOut(.stale))
    }

    private func trial(_ count: Int) async throws -> CapTrial {
        let registry = try Registry.testInMemory(isInline: true)
        let devices = try await PartTrial.Device.register(count, in: registry)
        return try await CapTrial(devices) { now in Journal(registry, clock: now) }
    }

    @Test(arguments: [UInt64(1), 2, 3])
    func tenDeliveriesThatAreKilledAtAnyActNeverPassACap(_ seed: UInt64) async throws {
        #expect(try await trial(60).violations(interleaved: true, batchSize: 5, seed: seed) == [])
    }

    @Test(arguments: [UInt64(1), 2, 3])
    func tenDeliveriesCapWhomANaiveCountCaps(_ seed: UInt64) async throws {
        #expect(try await trial(60).violations(interleaved: false, batchSize: 5, seed: seed) == [])
    }
}
