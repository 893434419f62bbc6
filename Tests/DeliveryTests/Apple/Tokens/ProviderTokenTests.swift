import Base
import Crypto
import Foundation
import Push
import Synchronization
import Testing

@testable import Delivery

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
                with: signing, teamID: "ABCDE12345", keyID: "F4K3K3Y1D0", issuedAt: issuedAt
            ).revealedText
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
        source = try ProviderTokenSource(
            key: key, teamID: "ABCDE12345", keyID: "F4K3K3Y1D0", now: { clocks.wall.withLock { $0 } },
            uptime: { clocks.uptime.withLock { $0 } })
    }

    private func issuedAt(_ token: Secret) throws -> Int64? {
        try JSONValue(parsing: ProviderTokenTests.decoded(token.revealedText.split(separator: ".")[1]))["iat"]?.integer
    }

    @Test func aTokenIsKeptFor50MinutesAndThenRenewed() throws {
        let first = source.token()
        #expect(try issuedAt(first) == 1_800_000_000)
        clocks.pass(.seconds(50 * 60 - 1))
        #expect(source.token() == first)
        clocks.pass(.seconds(1))
        let second = source.token()
        #expect(second != first)
        #expect(try issuedAt(second) == 1_800_003_000)
        #expect(source.token() == second)
    }

    @Test func everyoneGetsTheSameTokenAtOnce() async {
        let source = source
        clocks.pass(.seconds(50 * 60))
        let tokens = await withTaskGroup(of: Secret.self) { group in
            for _ in 0..<50 { group.addTask { source.token() } }
            return await group.reduce(into: Set<Secret>()) { $0.insert($1) }
        }
        #expect(tokens.count == 1)
    }

    @Test func anExpiredTokenOf20MinutesIsReplacedOnceForAll() {
        let first = source.token()
        clocks.pass(.seconds(20 * 60))
        let second = source.renewedToken(insteadOf: first)
        #expect(second != first)
        // The other requests that were under way with the first one.
        #expect(source.renewedToken(insteadOf: first) == second)
        #expect(source.token() == second && source.problem == nil)
    }

    @Test func noTokenIsRenewedWithin20Minutes() {
        let token = source.token()
        clocks.pass(.seconds(20 * 60 - 1))
        #expect(source.renewedToken(insteadOf: token) == token)
    }

    @Test func aFirstTokenThatExpiresAtOnceMeansAWrongClock() throws {
        let token = source.token()
        clocks.pass(.seconds(2))
        #expect(source.problem == nil)
        #expect(source.renewedToken(insteadOf: token) == token)
        let problem = try #require(source.problem)
        #expect(problem.code == .clockWrong && problem.clockAhead == nil)
        #expect(problem.description.contains("clock is wrong"))
        #expect(source.token() == token)
    }

    @Test func aWrongClockIsToldByHowMuch() {
        let token = source.token()
        // It is 2027-01-15 08:00:00 here.
        source.note(date: "Fri, 15 Jan 2027 11:12:30 GMT")
        _ = source.renewedToken(insteadOf: token)
        #expect(source.problem?.clockAhead == .seconds(-11_550))
        #expect(
            source.problem?.description == "this machine's clock is 3 h 12 min behind Apple's, "
                + "so Apple rejects provider tokens made here; set the clock")
        source.note(date: "Thu, 14 Jan 2027 08:00:00 GMT")
        _ = source.renewedToken(insteadOf: token)
        #expect(source.problem?.description.hasPrefix("this machine's clock is 1 d 0 h ahead of Apple's") == true)
        source.note(date: "gibberish")
        _ = source.renewedToken(insteadOf: token)
        #expect(source.problem?.clockAhead == .seconds(86_400))
    }

    @Test func aFewMinutesAreNoWrongClock() {
        let token = source.token()
        source.note(date: "Fri, 15 Jan 2027 08:05:00 GMT")
        _ = source.renewedToken(insteadOf: token)
        #expect(source.problem == CredentialError(.clockWrong))
        source.note(date: "Fri, 15 Jan 2027 08:05:01 GMT")
        _ = source.renewedToken(insteadOf: token)
        #expect(source.problem?.clockAhead == .seconds(-301))
    }

    @Test func aGoodTokenIsSentAgainOnANewConnectionBeforeTheClockIsBlamed() {
        let first = source.token()
        clocks.pass(.seconds(50 * 60))
        let second = source.token()
        for seconds in [5, 59] {
            clocks.pass(.seconds(seconds))
            #expect(source.renewedToken(insteadOf: second) == second)
            #expect(source.problem == nil)
        }
        clocks.pass(.seconds(1))
        #expect(source.renewedToken(insteadOf: second) == second)
        #expect(source.problem?.code == .clockWrong)
        #expect(source.renewedToken(insteadOf: first) == second)
        clocks.pass(.seconds(20 * 60))
        #expect(source.renewedToken(insteadOf: second) != second)
        #expect(source.problem == nil, "with another token it may be well again")
    }

    @Test func aTokenThatWasGoodForMinutesIsSentAgainToo() {
        let token = source.token()
        clocks.pass(.seconds(10 * 60))
        #expect(source.renewedToken(insteadOf: token) == token)
        #expect(source.problem == nil)
    }

    @Test func aClockThatIsSetForwardGivesATokenOfTheNewTime() throws {
        let first = source.token()
        clocks.set(by: .seconds(3 * 3600))
        let second = source.token()
        #expect(second != first)
        #expect(try issuedAt(second) == 1_800_010_800)
    }

    @Test func anExpiredTokenFromBeforeTheClockWasSetIsReplacedAtOnce() throws {
        let first = source.token()
        clocks.set(by: .seconds(30 * 60))
        let second = source.renewedToken(insteadOf: first)
        #expect(try issuedAt(second) == 1_800_001_800)
    }

    @Test func aClockThatIsSetBackDoesNotKeepATokenTooLong() {
        let first = source.token()
        clocks.set(by: .seconds(-3 * 3600))
        #expect(source.token() == first)
        clocks.pass(.seconds(50 * 60))
        #expect(source.token() != first)
    }

    @Test func whenTokensChangeTooOftenTheEarlierIsUsedWhileItIsGood() {
        let first = source.token()
        #expect(source.earlierToken(insteadOf: first) == first, "there is none before it")
        clocks.pass(.seconds(50 * 60))
        let second = source.token()
        #expect(source.earlierToken(insteadOf: second) == first)
        #expect(source.earlierToken(insteadOf: second) == first, "the others that were under way")
        #expect(source.earlierToken(insteadOf: first) == first)
        clocks.pass(.seconds(8 * 60 - 1))
        #expect(source.token() == first)
        clocks.pass(.seconds(1))
        #expect(source.token() == second)
        #expect(source.earlierToken(insteadOf: second) == second, "the one before is too old by now")
        clocks.pass(.seconds(42 * 60))
        #expect(source.token() != second)
    }

    @Test func nothingThatShowsASourceShowsATokenOrAKey() {
        let token = source.token().revealedText
        var dumped = ""
        dump(source, to: &dumped)
        for text in ["\(source)", String(reflecting: source), dumped] { #expect(!text.contains(token)) }
        #expect("\(source)" == "ProviderTokenSource(key F4K3K3Y1D0 of team ABCDE12345)")
    }
}
