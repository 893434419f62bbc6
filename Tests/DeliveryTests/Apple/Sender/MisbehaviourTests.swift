internal import Foundation
internal import HTTPTesting
internal import Push
internal import Testing

@testable internal import Delivery

/// A sender against a server that misbehaves in its frames: nobody is acted on twice, nobody is lost who certainly was not
/// processed, and everything else is in doubt and said so.
@Suite(.timeLimit(.minutes(10)))
struct MisbehaviourTests {
    private static let seeds: ClosedRange<UInt64> =
        ProcessInfo.processInfo.environment["BUGLE_SEED"].flatMap { UInt64($0) }.map { $0...$0 }
        ?? (ProcessInfo.processInfo.environment["BUGLE_LONG_TESTS"] == nil ? 1...1 : 1...20)

    @Test(arguments: Misbehaviour.allCases, [1, 4])
    func nobodyIsActedOnTwice(_ misbehaviour: Misbehaviour, _ connections: Int) async throws {
        for seed in Self.seeds { try await check(misbehaviour, connections, seed) }
    }

    private func check(_ misbehaviour: Misbehaviour, _ connections: Int, _ seed: UInt64) async throws {
        try await FrameServer.run(misbehaviour, seed: seed) { server, record in
            let sender = try PushSender(
                .init(
                    endpoint: "127.0.0.1:\(server.port)", credential: .token(TestTokens()), connections: connections,
                    streams: 100, caFile: try ServerCertificate.trusted.caFile,
                    requestTimeout: misbehaviour == .stalled ? .milliseconds(400) : .seconds(200),
                    retries: .init(
                        attempts: 20, connectAttempts: 20, pause: .milliseconds(2), spacing: .milliseconds(1))))
            let targets = SenderSample.targets(500)
            let verdicts = await sender.send(SenderSample.notification(), to: targets, through: TestGate())
            await sender.close()
            let acted = record.acted
            for (target, verdict) in zip(targets, verdicts) {
                let streams = acted["/3/device/" + target.token] ?? []
                let times = streams.count
                #expect(times <= 1, "\(misbehaviour), seed \(seed): \(verdict), \(streams)")
                switch verdict {
                case .accepted: #expect(times == 1, "\(misbehaviour), seed \(seed)")
                case .notSent: #expect(times == 0, "\(misbehaviour), seed \(seed): \(verdict)")
                case .refused: Issue.record("\(misbehaviour), seed \(seed): \(verdict)")
                case .unknown: #expect(misbehaviour.leavesDoubt, "\(misbehaviour), seed \(seed): \(verdict)")
                }
            }
            // Who was certainly not processed was sent to again, or is known not to have been.
            let lost = record.disowned.filter { acted[$0] == nil }
            #expect(lost.isEmpty || misbehaviour.leavesDoubt, "\(misbehaviour), seed \(seed): \(lost.count) lost")
        }
    }
}
