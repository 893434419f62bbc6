import Base
import DeliveryTesting
import DeviceRegistry
import Push
import Synchronization
import Testing

@testable import Delivery

@Suite struct DeliveringTests {
    @Test func everyDeviceGetsItOnceUnderItsOwnProfilesTopic() async throws {
        let world = try await World(devices: 2500, profiles: ["driver", "passenger"])
        let job = world.job(world.order(profiles: ["driver", "passenger"]))
        let figures = try #require(try await world.run(job).figures)
        #expect(figures.targets == 2500)
        #expect(figures.accepted == 2500)
        #expect(figures.isClosed)
        #expect(world.apple.received.count == 2500)
        #expect(world.apple.received.values.allSatisfy { $0 == 1 })
        let topics = world.apple.with { $0.topics }
        #expect(topics[World.token(0)] == "com.example.driver")
        #expect(topics[World.token(1)] == "com.example.passenger")
        #expect(
            world.apple.with { $0.inboxes[World.token(7)] } == [
                APNsID(delivery: World.delivery, token: World.token(7))
            ])
    }

    @Test func atMostTwoBatchesAreOpenAtATime() async throws {
        let world = try await World(devices: 5500)
        _ = try await world.run()
        #expect(try await world.mostOpen == 2)
    }

    @Test func anEmptyAudienceEndsAtOnce() async throws {
        let world = try await World(devices: 0)
        #expect(try await world.run().figures?.targets == 0)
        #expect(world.apple.requests == 0)
    }

    @Test func aDeliveryThatEndedIsNotSentAgain() async throws {
        let world = try await World(devices: 10)
        _ = try await world.run()
        #expect(try await world.run(run: "second").figures?.accepted == 10)
        #expect(world.apple.requests == 10)
    }

    @Test func badgesAreEachDevicesOwnAndRaisedOnce() async throws {
        // The first requests never leave, so that their devices are claimed twice.
        let world = try await World(devices: 30, FakeApple { _, request in request <= 30 ? .neverSent : .accept })
        try await world.setBadge(of: World.token(4), 6)
        let order = world.order {
            $0.payload = ["aps": [:]]
            $0.countsBadge = true
        }
        #expect(try await world.run(world.job(order)).figures?.accepted == 30)
        #expect(world.apple.with { $0.badge(of: World.token(4)) } == 7)
        #expect(world.apple.with { $0.badge(of: World.token(5)) } == 1)
        #expect(try await world.badge(of: World.token(5)) == 1)
    }

    @Test func aThrottleMakesBatchesOfTwoSeconds() async throws {
        let world = try await World(devices: 100)
        _ = try await world.run(world.job(world.order { $0.throttle = 10 }))
        #expect(try await world.batchSize == 20)
        let fast = try await World(devices: 1)
        _ = try await fast.run(fast.job(fast.order { $0.throttle = Int.max }))
        #expect(try await fast.batchSize == 1000)
    }

    @Test func theExpirationCountsFromTheStartHoweverOftenItIsResumed() async throws {
        let world = try await World(devices: 1500)
        let order = world.order { $0.expiration = .after(.seconds(7200)) }
        let requests = Atomic<Int>(0)
        _ = try await world.run(
            world.job(order),
            beforeRequest: { [stop = world.stop] _ in
                if requests.add(1, ordering: .relaxed).newValue == 10 { stop.raise() }
            })
        world.stop.lower()
        world.clock.advance(.seconds(600))
        _ = try await world.run(world.job(order), run: "second")
        #expect(
            world.apple.with { $0.notifications.map(\.expiration) } == [
                FakeClock.start.milliseconds / 1000 + 7200
            ])
    }

    @Test func theProgressCountsWhatWasSettledAndHowFast() async throws {
        let world = try await World(
            devices: 4000, FakeApple { token, _ in token.hasSuffix("00") ? .refuse(410, "Unregistered") : .accept })
        let seen = Mutex<[DeliveryProgress]>([])
        _ = try await world.run(
            beforeRequest: { [clock = world.clock] _ in clock.advance(.milliseconds(1)) },
            progress: { step in seen.withLock { $0.append(step) } })
        let steps = seen.withLock { $0 }
        #expect(steps.first?.targets == nil)
        let last = try #require(steps.last)
        #expect(last.targets == 4000)
        #expect(last.accepted == 3984)
        #expect(last.refused == ["Unregistered": 16])
        #expect(last.remaining == .zero)
        #expect((900...1100).contains(last.perSecond))
        let middle = try #require(steps.dropFirst(2).first)
        #expect(middle.remaining != nil && middle.remaining != .zero)
    }
}
