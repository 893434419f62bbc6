import Base
import DeviceRegistry
import Push
import Testing

@testable import PushServer

@Suite struct ConsoleLoginLimitTests {
    private func fail(_ fixture: ConsoleFixture, from address: String, times: Int = 10) async throws {
        for _ in 0..<times {
            #expect(try await fixture.post("/console/login", ["key": "x"], from: address).status == 403)
        }
    }

    private func tryKey(_ fixture: ConsoleFixture, from address: String) async throws -> WebResponse {
        try await fixture.post("/console/login", ["key": "x"], from: address)
    }

    @Test func afterTenFailuresTheOthersAreToldToWaitUntilTheMinuteIsOver() async throws {
        let fixture = try ConsoleFixture()
        try await fail(fixture, from: "192.0.2.1")
        fixture.clock.advance(bySeconds: 20)
        let refused = try await tryKey(fixture, from: "192.0.2.1")
        #expect(refused.status == 429)
        #expect(refused.header("Retry-After") == "40")
        #expect(refused.header("Set-Cookie") == nil)
        #expect(try await tryKey(fixture, from: "192.0.2.2").status == 403)
        fixture.clock.advance(bySeconds: 39.999)
        #expect(try await tryKey(fixture, from: "192.0.2.1").status == 429)
        fixture.clock.advance(bySeconds: 0.001)
        #expect(try await tryKey(fixture, from: "192.0.2.1").status == 403)
    }

    @Test func afterTenFailuresTheRightKeyWaitsToo() async throws {
        let fixture = try ConsoleFixture()
        try await fail(fixture, from: "192.0.2.1")
        let key = ["key": TestServer.masterKey]
        let refused = try await fixture.post("/console/login", key, from: "192.0.2.1")
        #expect(refused.status == 429 && refused.header("Set-Cookie") == nil)
        #expect(refused.text == (try await tryKey(fixture, from: "192.0.2.1")).text)
        fixture.clock.advance(bySeconds: 60)
        #expect(try await fixture.post("/console/login", key, from: "192.0.2.1").status == 303)
    }

    @Test func theRightKeyCountsForNothing() async throws {
        let fixture = try ConsoleFixture()
        for _ in 0..<20 {
            #expect(
                try await fixture.post("/console/login", ["key": TestServer.masterKey], from: "192.0.2.1").status == 303
            )
        }
    }

    @Test func whoIsLoggedInIsNotKeptOutByGuessesFromTheSameAddress() async throws {
        let fixture = try ConsoleFixture()
        let cookie = try await fixture.logIn()
        try await fail(fixture, from: "192.0.2.1")
        let key = ["key": TestServer.masterKey]
        #expect(try await fixture.post("/console/login", key, cookie: cookie, from: "192.0.2.1").status == 303)
        // A cookie of the guesser's own making is none.
        let forged = "\(SessionStore.cookieName)=0123"
        #expect(try await fixture.post("/console/login", key, cookie: forged, from: "192.0.2.1").status == 429)
    }

    @Test(arguments: [
        ("2001:db8:1:2::1", "2001:db8:1:2:ffff::9", true), ("2001:db8::1", "2001:db8:0:0:5::", true),
        ("2001:DB8::1", "2001:db8::2", true), ("2001:db8:1:2::1", "2001:db8:1:3::1", false),
        ("::1", "::2", true), ("::ffff:192.0.2.1", "::ffff:192.0.2.2", false), ("192.0.2.1", "192.0.2.2", false),
    ])
    func anIPv6NetworkCountsAsOneAddress(first: String, second: String, isSame: Bool) async throws {
        let fixture = try ConsoleFixture()
        try await fail(fixture, from: first)
        #expect(try await tryKey(fixture, from: second).status == (isSame ? 429 : 403))
    }

    @Test func manyAddressesDoNotFillTheMemory() {
        let limiter = LoginLimiter()
        func fail(_ address: String, isRight: Bool = false, at now: Instant = .noon) -> Int64? {
            limiter.attempt(address, as: nil, isRight: isRight, at: now)
        }
        for index in 0..<20_000 { _ = fail("10.0.\(index / 256).\(index % 256)") }
        #expect(limiter.count <= LoginLimiter.mostAddresses + 1)
        // Those without room share ten failures, and the others keep theirs.
        #expect(fail("198.51.100.1") == 60)
        // Strangers cannot keep everybody out by filling the table.
        #expect(fail("198.51.100.1", isRight: true) == nil)
        #expect(fail("10.0.0.0") == nil)
        #expect(fail("198.51.100.1", at: .noon.advanced(bySeconds: 60)) == nil)
        #expect(limiter.count <= 2)
    }

    @Test func tenOfManyFailuresAtOnceAreNotToldToWait() async throws {
        let limiter = LoginLimiter()
        let allowed = await withTaskGroup(of: Bool.self) { group in
            for _ in 0..<200 {
                group.addTask { limiter.attempt("192.0.2.1", as: nil, isRight: false, at: .noon) == nil }
            }
            return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
        #expect(allowed == 10)
    }
}
