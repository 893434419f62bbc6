import Base
import BaseTesting
import DeliveryTesting
import DeviceRegistry
import ProgramTesting
import Push
import Testing

@testable import Delivery

/// Services that take a batch in one call, of which two are under way at a time: both have left when one is refused.
@Suite struct WholeCallTests {
    private struct CallSender: NotificationSending {
        let reason: ServiceReason
        /// True for a device whose service refuses the calls.
        var isRefused: @Sendable (String) -> Bool = { _ in true }
        let refusedCalls = Counter()
        private let areUnderWay = Gate()

        init(_ vendor: PushVendor, _ code: String) throws {
            reason = .vendor(try #require(VendorReason(vendor, code)))
        }

        func send(
            _ notification: PushNotification, to targets: [SendTarget], through gate: any SendGate
        ) async -> [Verdict] {
            guard gate.isOpen else { return targets.map { _ in Verdict.notSent(.noBodyGiven("held back")) } }
            var answer = Verdict.accepted
            if targets.contains(where: { isRefused($0.token) }) {
                if refusedCalls.next() == 2 { areUnderWay.open() }
                await areUnderWay.pass()
                answer = .refused(.service(reason, since: nil))
            }
            for _ in targets { gate.note(answer) }
            return targets.map { _ in answer }
        }

        func close() async {}
    }

    /// Runs a delivery as `bugle-server` does.
    private func run(
        _ world: World, _ job: DeliveryJob, _ sender: CallSender, as run: String = "run"
    ) async throws -> DeliveryEnding {
        let engine = DeliveryEngine(
            store: world.journal, senders: FakeSenders(sender: sender),
            settings: DeliverySettings(retries: 1, longestWait: .seconds(5)), pausing: FakePause(clock: world.clock),
            heartbeat: FakePause(clock: FakeClock()), elapsed: { [clock = world.clock] in clock.elapsed })
        return await engine.run(job, under: DeliveryPermit(run: run, lease: try await world.lease(run)))
    }

    @Test func aServiceThatHasHadEnoughForTodayIsNotCalledAgainThatDay() async throws {
        let (world, sender) = (try await World(devices: 5000), try CallSender(.oppo, "33"))
        for name in ["first", "second"] {
            let stop = try #require(try await run(world, world.job(), sender, as: name).stopWhileSending)
            let until = try #require(stop.until)
            // A minute past midnight, in China.
            #expect((until.seconds + 8 * 3600) % 86_400 == 60)
            #expect(sender.refusedCalls.value == 2)
        }
    }

    @Test func aServiceThatAsksToWaitIsWaitedForAndNotCalledAway() async throws {
        let (world, sender) = (try await World(devices: 5000), try CallSender(.oppo, "13"))
        let stop = try #require(try await run(world, world.job(), sender).stopWhileSending)
        let until = try #require(stop.until)
        #expect(until > world.clock.now + .seconds(30))
        #expect(sender.refusedCalls.value == 2)
    }

    @Test func whatAServiceRefusesForGoodIsNotSaidToBeAway() async throws {
        // Devices are of the two profiles in turn.
        let world = try await World(devices: 6000, profiles: ["app", "beta"])
        var sender = try CallSender(.hms, "80100016")
        sender.isRefused = { token in token.last.flatMap(\.hexDigitValue).map { $0 % 2 == 1 } ?? false }
        let ending = try await run(world, world.job(world.order(profiles: ["app", "beta"])), sender)
        #expect(ending == .interrupted(.refused(sender.reason)))
        #expect(try await world.figures?.accepted == 3000)
        #expect(sender.refusedCalls.value == 2)
    }
}
