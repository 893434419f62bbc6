import Crypto
import Foundation
import JSONValue
import PushModel
import Synchronization
import Testing

@testable import APNs

@Suite struct ProviderTokenTests {
    /// Reads base64url without padding.
    static func decoded(_ part: Substring) throws -> [UInt8] {
        #expect(part.utf8.allSatisfy { $0 != UInt8(ascii: "=") && $0 != UInt8(ascii: "+") && $0 != UInt8(ascii: "/") })
        var text = String(part).replacingOccurrences(of: "-", with: "+").replacingOccurrences(of: "_", with: "/")
        while text.utf8.count % 4 != 0 { text += "=" }
        return Array(try #require(Data(base64Encoded: text)))
    }

    @Test func aTokenIsSignedByItsKeyWithRawRAndS() throws {
        let key = P256.Signing.PrivateKey()
        let signing = try SigningKey.read(Array(key.pemRepresentation.utf8))
        // Several, because a wrong letter of the alphabet shows in some signatures only.
        for issuedAt in Int64(1_800_000_000)..<1_800_000_020 {
            let token = try ProviderToken.signed(
                with: signing, teamID: "ABCDE12345", keyID: "F4K3K3Y1D0", issuedAt: issuedAt)
            let parts = token.split(separator: ".", omittingEmptySubsequences: false)
            #expect(parts.count == 3)
            let header = try JSONValue(parsing: Self.decoded(parts[0]))
            let claims = try JSONValue(parsing: Self.decoded(parts[1]))
            #expect(header == ["alg": "ES256", "kid": "F4K3K3Y1D0"])
            #expect(claims == ["iss": "ABCDE12345", "iat": .integer(issuedAt)])
            let raw = try Self.decoded(parts[2])
            #expect(raw.count == 64)
            let signature = try P256.Signing.ECDSASignature(rawRepresentation: raw)
            #expect(key.publicKey.isValidSignature(signature, for: Data("\(parts[0]).\(parts[1])".utf8)))
        }
    }
}

@Suite struct ProviderTokenSourceTests {
    /// Clocks that stand until they are moved.
    private final class Clocks: Sendable {
        let wall = Mutex(Instant(seconds: 1_800_000_000))
        let uptime = Mutex(Duration.zero)

        /// Time passes.
        func pass(_ duration: Duration) {
            set(by: duration)
            uptime.withLock { $0 += duration }
        }

        /// Somebody sets the machine's clock.
        func set(by duration: Duration) { wall.withLock { $0 = $0 + duration } }
    }

    private let clocks = Clocks()
    private let source: ProviderTokenSource

    init() throws {
        let key = try SigningKey.read(Array(P256.Signing.PrivateKey().pemRepresentation.utf8))
        let clocks = clocks
        source = ProviderTokenSource(
            key: key, teamID: "ABCDE12345", keyID: "F4K3K3Y1D0", now: { clocks.wall.withLock { $0 } },
            uptime: { clocks.uptime.withLock { $0 } })
    }

    private func issuedAt(_ token: String) throws -> Int64? {
        try JSONValue(parsing: ProviderTokenTests.decoded(token.split(separator: ".")[1]))["iat"]?.integer
    }

    private func failure(for token: String) -> CredentialError? {
        do throws(CredentialError) {
            _ = try source.replacement(for: token)
            return nil
        } catch {
            return error
        }
    }

    @Test func aTokenIsKeptFor50MinutesAndThenRenewed() throws {
        let first = try source.token()
        #expect(try issuedAt(first) == 1_800_000_000)
        clocks.pass(.seconds(50 * 60 - 1))
        #expect(try source.token() == first)
        clocks.pass(.seconds(1))
        let second = try source.token()
        #expect(second != first)
        #expect(try issuedAt(second) == 1_800_003_000)
        #expect(try source.token() == second)
    }

    @Test func everyoneGetsTheSameTokenAtOnce() async throws {
        let source = source
        let tokens = try await withThrowingTaskGroup(of: String.self) { group in
            for _ in 0..<50 { group.addTask { try source.token() } }
            return try await group.reduce(into: Set<String>()) { $0.insert($1) }
        }
        #expect(tokens.count == 1)
    }

    @Test func anExpiredTokenOf20MinutesIsReplacedOnceForAll() throws {
        let first = try source.token()
        clocks.pass(.seconds(20 * 60))
        let second = try source.replacement(for: first)
        #expect(second != nil && second != first)
        // The other requests that were under way with the first one.
        #expect(try source.replacement(for: first) == second)
        #expect(try source.token() == second)
    }

    @Test func aFirstTokenThatExpiresAtOnceMeansAWrongClock() throws {
        let token = try source.token()
        clocks.pass(.seconds(2))
        let error = failure(for: token)
        #expect(error?.code == .clockWrong && error?.clockAhead == nil)
        #expect(error?.description.contains("clock") == true)
        #expect(try source.token() == token)
    }

    @Test func aWrongClockIsToldByHowMuch() throws {
        let token = try source.token()
        // 2027-01-15 08:00:00 here.
        source.note(date: "Fri, 15 Jan 2027 11:12:30 GMT")
        #expect(source.clockError == .seconds(-11_550))
        let error = failure(for: token)
        #expect(error?.clockAhead == .seconds(-11_550))
        #expect(
            error?.description == "this machine's clock is 3 h 12 min behind Apple's, "
                + "so Apple takes no provider token that is made here; set the clock")
        source.note(date: "Thu, 14 Jan 2027 08:00:00 GMT")
        #expect(failure(for: token)?.description.hasPrefix("this machine's clock is 1 d 0 h ahead of Apple's") == true)
        source.note(date: "gibberish")
        #expect(source.clockError == .seconds(86_400))
    }

    @Test func aFewMinutesAreNoWrongClock() throws {
        source.note(date: "Fri, 15 Jan 2027 08:04:59 GMT")
        #expect(source.clockError == nil)
        source.note(date: "Fri, 15 Jan 2027 08:05:01 GMT")
        #expect(source.clockError != nil)
    }

    @Test func aGoodTokenIsSentAgainOnANewConnectionBeforeTheClockIsBlamed() throws {
        let first = try source.token()
        clocks.pass(.seconds(50 * 60))
        let second = try source.token()
        clocks.pass(.seconds(5))
        #expect(try source.replacement(for: second) == nil)
        clocks.pass(.seconds(59))
        #expect(try source.replacement(for: second) == nil)
        clocks.pass(.seconds(1))
        #expect(failure(for: second)?.code == .clockWrong)
        #expect(try source.replacement(for: first) == second)
    }

    @Test func aTokenThatWasGoodForMinutesIsSentAgainToo() throws {
        let token = try source.token()
        clocks.pass(.seconds(10 * 60))
        #expect(try source.replacement(for: token) == nil)
    }

    @Test func aClockThatIsSetForwardGivesATokenOfTheNewTime() throws {
        let first = try source.token()
        clocks.set(by: .seconds(3 * 3600))
        let second = try source.token()
        #expect(second != first)
        #expect(try issuedAt(second) == 1_800_010_800)
    }

    @Test func aClockThatIsSetBackDoesNotKeepATokenTooLong() throws {
        let first = try source.token()
        clocks.set(by: .seconds(-3 * 3600))
        #expect(try source.token() == first)
        clocks.pass(.seconds(50 * 60))
        #expect(try source.token() != first)
    }

    @Test func nothingThatShowsASourceShowsATokenOrAKey() throws {
        let token = try source.token()
        for text in ["\(source)", String(reflecting: source)] { #expect(!text.contains(token)) }
        #expect("\(source)" == "ProviderTokenSource(key F4K3K3Y1D0 of team ABCDE12345)")
    }
}
