import Delivery
import Push
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

    private static func problem(_ senders: any SenderProviding) async -> String {
        do throws(SenderError) {
            _ = try await senders.sender(for: "app")
            return ""
        } catch {
            return error.description
        }
    }
}
