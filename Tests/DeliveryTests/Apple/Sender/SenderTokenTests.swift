internal import HTTPTesting
internal import Push
internal import Testing

@testable internal import Delivery

/// Refusals that concern the token or the connection and not the notification.
///
/// Source: docs/background/apple/reasons.md#reasons.
@Suite(.timeLimit(.minutes(10)))
struct SenderTokenTests {
    private func send(_ count: Int, _ script: Script, _ tokens: TestTokens = TestTokens()) async throws -> [Verdict] {
        try await verdicts(count, script, tokens: tokens) { $0.retries.attempts = 3 }
    }

    @Test
    func anExpiredTokenIsRenewedOnceForAll() async throws {
        let script = Script { seen in
            seen.bearer == "bearer t1" && seen.place > 3
                ? SenderSample.refuse(403, "ExpiredProviderToken") : SenderSample.accept(seen)
        }
        let tokens = TestTokens()
        #expect(try await send(100, script, tokens).allSatisfy { $0 == .accepted })
        #expect(tokens.renewals == 1)
        #expect(script.connections == 1)
    }

    @Test
    func aConnectionThatCallsEveryTokenExpiredIsReplaced() async throws {
        let script = Script { seen in
            seen.connection == 1 ? SenderSample.refuse(403, "ExpiredProviderToken") : SenderSample.accept(seen)
        }
        let tokens = TestTokens()
        #expect(try await send(10, script, tokens).allSatisfy { $0 == .accepted })
        #expect(script.connections == 2)
        #expect(tokens.renewals == 2)
    }

    @Test
    func aTokenThatIsAlwaysExpiredIsRefused() async throws {
        let script = Script { _ in SenderSample.refuse(403, "ExpiredProviderToken") }
        let answers = try await send(1, script)
        #expect(answers == [.refused(.service(.apple(.expiredProviderToken), since: nil))])
        #expect(script.seen.count == 3)
    }

    @Test
    func tooManyTokensLeadBackToTheOldOne() async throws {
        let script = Script { seen in
            switch seen.bearer {
            case "bearer t1":
                seen.place == 1 ? SenderSample.refuse(403, "ExpiredProviderToken") : SenderSample.accept(seen)
            default: SenderSample.refuse(429, "TooManyProviderTokenUpdates")
            }
        }
        let tokens = TestTokens()
        #expect(try await send(5, script, tokens).allSatisfy { $0 == .accepted })
        #expect(tokens.renewals == 1 && tokens.returns == 1)
    }

    @Test(arguments: [(503, "Shutdown"), (400, "IdleTimeout")])
    func aConnectionThatApplePutsAwayIsReplaced(_ status: Int, _ reason: String) async throws {
        let script = Script { seen in
            seen.connection == 1 && seen.place > 3 ? SenderSample.refuse(status, reason) : SenderSample.accept(seen)
        }
        #expect(try await send(20, script).allSatisfy { $0 == .accepted })
        #expect(script.connections == 2)
    }

    @Test(
        arguments: [
            (403, "InvalidProviderToken"), (403, "MissingProviderToken"), (403, "BadCertificate"),
            (403, "BadCertificateEnvironment"), (403, "UnrelatedKeyIdInToken"), (403, "BadEnvironmentKeyIdInToken"),
            (429, "TooManyRequests"), (500, "InternalServerError"), (503, "ServiceUnavailable"),
        ])
    func whatTheDeliveryDecidesIsAnsweredAtOnce(_ status: Int, _ reason: String) async throws {
        let script = Script { _ in SenderSample.refuse(status, reason) }
        let answers = try await send(3, script)
        let known = try #require(APNsReason(word: reason))
        #expect(answers.allSatisfy { $0 == .refused(.service(.apple(known), since: nil)) })
        #expect(script.seen.count == 3)
    }
}
