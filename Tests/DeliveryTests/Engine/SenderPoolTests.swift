import Base
import Delivery
import DeliveryTesting
import Push
import Synchronization
import Testing

@Suite struct SenderPoolTests {
    @Test func aProfileThatIsOfAnotherEnvironmentNowSendsNothingOfADelivery() async {
        let profile = DeviceProfile(
            name: "app", origin: Origin(file: "a.yaml", line: 1), environment: .development, topic: "com.example.app",
            credential: .token(teamId: "ABCDE12345", keyId: "F4K3K3Y1D0", key: .environment("KEY")))
        let pool = SenderPool(
            profiles: [profile], settings: SenderPool.Settings(), now: { Instant(seconds: 0) }
        ) { _ throws(SenderError) in throw SenderError("asked for its key") }
        #expect(
            await Self.problem(pool.senders(environment: .production)).contains(
                "its environment is development, but the delivery's is production"))
        #expect(await Self.problem(pool.senders(environment: .development)) == "asked for its key")
        #expect(await Self.problem(pool.senders()) == "asked for its key")
    }

    /// Does not wait, and remembers the longest wait.
    private final class LongestPause: Pausing {
        private let longest = Mutex(Duration.zero)

        var length: Duration { longest.withLock { $0 } }

        func pause(for duration: Duration) async throws(CancellationError) {
            longest.withLock { $0 = max($0, duration) }
        }
    }

    @Test func aRateIsThatOfAllServicesTogether() async throws {
        let pause = LongestPause()
        let pool = SenderPool(
            profiles: [], settings: SenderPool.Settings(), now: { Instant(seconds: 0) }
        ) { _ throws(SenderError) in throw SenderError("asked for its key") }
        func isPaced(_ profiles: [String], _ perSecond: Int?) -> Bool {
            let order = DeliveryOrder.score(profiles: profiles) { $0.throttle = perSecond }
            return pool.senders(of: order, pausing: pause) is PacedSenders
        }
        #expect(isPaced(["app", "beta"], 1) && !isPaced(["app"], 1) && !isPaced(["app", "beta"], nil))
        let senders = PacedSenders(
            senders: FakeSenders(sender: FakeSender(apple: FakeApple())), pace: Pace(perSecond: 1, pausing: pause))
        let targets = (0..<5000).map { index in
            SendTarget(token: "a\(index)", id: APNsID(delivery: "d", token: "a\(index)"))
        }
        for profile in ["app", "beta"] {
            let sender = try await senders.sender(for: profile)
            let answers = await sender.send(PushNotification(body: .same([])), to: targets, through: TestGate())
            #expect(answers == targets.map { _ in Verdict.accepted })
        }
        // The last of ten thousand devices, less what the test takes; of one profile's it would be 4,999 seconds.
        #expect(pause.length > .seconds(5000))
    }

    private static func problem(_ senders: any SenderProviding) async -> String {
        do throws(SenderError) {
            _ = try await senders.sender(for: "app")
            return ""
        } catch {
            return error.description
        }
    }
}
