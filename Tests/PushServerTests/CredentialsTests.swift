import Base
import Crypto
import DeviceRegistry
import Foundation
import Push
import Testing

@testable import PushServer

@Suite struct CredentialsTests {
    private static let id = ("X-LC-Id", "giants")
    private static let clientSign = "d5bcbb897e19b2f6633c716dfdfaf9be,1453014943466"
    private static let masterSign = "e074720658078c898aa0d4b1b82bdf4b,1453014943466,master"

    // The signatures are the vendor's documented vectors; the master key's is checked at its time.
    private static let vectorTime = Instant(milliseconds: 1_453_014_943_466)

    @Test(arguments: [
        [id, ("X-LC-Key", TestServer.masterKey + ",master")], [id, ("X-LC-Sign", masterSign)],
        [("x-lc-id", "giants"), ("x-lc-sign", masterSign)],
        [("X-AVOSCloud-Application-Id", "giants"), ("X-AVOSCloud-Master-Key", TestServer.masterKey)],
        [("X-AVOSCloud-Application-Id", "giants"), ("X-AVOSCloud-Request-Sign", masterSign)],
        [("X-Uluru-Application-Id", "giants"), ("X-Uluru-Request-Sign", masterSign)],
        [("X-Uluru-Application-Id", "giants"), ("X-Uluru-Master-Key", TestServer.masterKey)],
        [
            ("X-AVOSCloud-Application-Id", "giants"), ("X-AVOSCloud-Application-Key", TestServer.appKey),
            ("X-AVOSCloud-Master-Key", TestServer.masterKey),
        ],
        [("X-Uluru-Application-Id", "giants"), ("X-Uluru-Application-Key", TestServer.masterKey + ",master")],
    ])
    func theMasterKeyIsKnownInEveryForm(headers: [(String, String)]) async throws {
        try await ServiceServer.run(at: Self.vectorTime) { (server) async throws in
            #expect(try await server.call("GET", "/1.1/notifications", headers).status == 200)
        }
    }

    @Test(arguments: [
        [id, ("X-LC-Key", TestServer.appKey)], [id, ("X-LC-Sign", clientSign)],
        [("X-AVOSCloud-Application-Id", "giants"), ("X-AVOSCloud-Application-Key", TestServer.appKey)],
    ])
    func theAppKeyIsKnownAndIsNoMasterKey(headers: [(String, String)]) async throws {
        try await TestServer.run { (server) async throws in
            #expect(try await server.call("GET", "/date", key: .none, headers: headers).status == 200)
            #expect(try await server.call("GET", "/notifications", key: .none, headers: headers).status == 403)
        }
    }

    @Test(arguments: [
        [], [id], [("X-LC-Key", TestServer.masterKey + ",master")],
        [("X-LC-Id", "other"), ("X-LC-Key", TestServer.appKey)],
        [id, ("X-LC-Key", TestServer.masterKey)], [id, ("X-LC-Key", TestServer.appKey + ",master")],
        [id, ("X-LC-Key", "")], [id, ("X-LC-Key", ",master")], [id, ("X-LC-Key", TestServer.masterKey + ", master")],
        [id, ("X-LC-Sign", masterSign.uppercased())], [id, ("X-LC-Sign", clientSign + ",master")],
        [id, ("X-LC-Sign", "e074720658078c898aa0d4b1b82bdf4b,1453014943466")],
        [id, ("X-LC-Sign", "e074720658078c898aa0d4b1b82bdf4b,1453014943467,master")], [id, ("X-LC-Sign", ",,master")],
    ])
    func wrongKeysGet401AndNothingElse(headers: [(String, String)]) async throws {
        try await TestServer.run { (server) async throws in
            for (method, path) in [("GET", "/date"), ("POST", "/push"), ("GET", "/nowhere"), ("POST", "/classes/A")] {
                let answer = try await server.call(method, path, [:], key: .none, headers: headers)
                #expect(answer.status == 401)
                #expect(answer.body == ["code": 401, "error": "Unauthorized."])
            }
        }
    }

    /// A signature as a client makes it.
    private static func sign(_ timestamp: Int64, _ key: String, master: Bool) -> String {
        let digest = Insecure.MD5.hash(data: Array("\(timestamp)\(key)".utf8))
        return digest.map { String(format: "%02x", $0) }.joined() + ",\(timestamp)" + (master ? ",master" : "")
    }

    @Test(arguments: [
        (0, 200), (-899, 200), (899, 200), (-901, 401), (901, 401), (-86_400, 401), (-1_000_000_000, 401),
    ])
    func aMasterKeysSignatureIsGoodForFifteenMinutesInEitherUnit(seconds: Int64, status: Int) async throws {
        try await ServiceServer.run { (server) async throws in
            let now = Instant.noon.milliseconds
            for timestamp in [now + seconds * 1000, now / 1000 + seconds] {
                let sign = Self.sign(timestamp, TestServer.masterKey, master: true)
                #expect(
                    try await server.call("GET", "/1.1/notifications", [Self.id, ("X-LC-Sign", sign)]).status == status)
            }
        }
    }

    @Test func puttingTheClockForwardAgesNoSignature() async throws {
        try await ServiceServer.run({ $0.allowsFaults = true }) { (server) async throws in
            let sign = Self.sign(Instant.noon.milliseconds, TestServer.masterKey, master: true)
            let headers = [Self.id, ("X-LC-Sign", sign)]
            let body = Array(#"{"advance":86400}"#.utf8)
            #expect(try await server.call("POST", "/1.1/bugle/clock", headers, body: body).status == 200)
            #expect(try await server.call("GET", "/1.1/notifications", headers).status == 200)
        }
    }

    @Test func theAgeOfSignaturesCanBeSetAndSwitchedOff() async throws {
        let sign = Self.sign(Instant.noon.milliseconds - 120_000, TestServer.masterKey, master: true)
        for (age, status) in [(Duration.seconds(60), 401), (.seconds(180), 200), (nil, 200)] as [(Duration?, Int)] {
            try await ServiceServer.run({ $0.limits.signatureAge = age }) { (server) async throws in
                let answer = try await server.call("GET", "/1.1/notifications", [Self.id, ("X-LC-Sign", sign)])
                #expect(answer.status == status)
            }
        }
    }

    @Test func aClientWithAWrongClockMaySignWithTheAppKey() async throws {
        try await ServiceServer.run { (server) async throws in
            for timestamp in [1, 1_453_014_943, 4_000_000_000_000] as [Int64] {
                let sign = Self.sign(timestamp, TestServer.appKey, master: false)
                #expect(try await server.call("GET", "/1.1/date", [Self.id, ("X-LC-Sign", sign)]).status == 200)
            }
        }
    }

    @Test func whatIsWrongCannotBeToldFromTheAnswersBytes() async throws {
        try await ServiceServer.run { (server) async throws in
            let wrong: [[String]] = [
                [], ["X-LC-Id: other", "X-LC-Key: \(TestServer.appKey)"], ["X-LC-Id: giants", "X-LC-Key: x"],
                ["X-LC-Id: giants", "X-LC-Key: x,master"], ["X-LC-Id: giants", "X-LC-Sign: \(Self.clientSign)0"],
                ["X-LC-Id: giants", "X-LC-Sign: \(Self.masterSign)"], ["X-LC-Id: giants", "X-AVOSCloud-Master-Key: x"],
            ]
            let answers = try await server.dialog { port in
                try wrong.map { headers in
                    let connection = try RawConnection(port)
                    connection.send(head("GET /1.1/date", headers + ["Connection: close"], key: .none))
                    return connection.rest()
                }
            }
            #expect(Set(answers).count == 1)
            #expect(answers[0].hasPrefix("HTTP/1.1 401 Unauthorized\r\n"))
            #expect(answers[0].hasSuffix(#"{"code":401,"error":"Unauthorized."}"#))
        }
    }

    /// Measures time, so it is one of the long tests, which have the machine for themselves.
    @Test(.enabled(if: ProcessInfo.processInfo.environment["BUGLE_LONG_TESTS"] == "1"))
    func whatIsWrongCannotBeToldFromTheTime() throws {
        let credentials = Credentials(TestServer.configuration)
        let shown = [
            ("other", TestServer.appKey), ("giants", "wrong"), ("giants", String(TestServer.appKey.dropLast()) + "?"),
        ].map { id, key in
            ShownCredentials { ["X-LC-Id": id, "X-LC-Key": key][$0] }
        }
        var times = [[Duration]](repeating: [], count: shown.count)
        // In turn, so that whatever else the machine does falls on all of them.
        for _ in 0..<3000 {
            for (index, shown) in shown.enumerated() {
                let start = ContinuousClock.now
                _ = try? credentials.access(shown, at: .noon)
                times[index].append(ContinuousClock.now - start)
            }
        }
        let medians = times.map { $0.sorted()[$0.count / 2] / .nanoseconds(1) }
        let ratio = (medians.max() ?? 0) / (medians.min() ?? 1)
        #expect(ratio < 1.2, "\(medians)")
    }

    @Test func withoutAnAppKeyAnEmptyOneIsNone() throws {
        var configuration = TestServer.configuration
        configuration.applicationKey = nil
        let credentials = Credentials(configuration)
        for sign in [nil, Self.sign(1, "", master: false)] {
            let shown = ShownCredentials { name in
                ["X-LC-Id": "giants", "X-LC-Key": "", "X-LC-Sign": sign][name] ?? nil
            }
            #expect(throws: APIError.unauthorized) { try credentials.access(shown, at: .noon) }
        }
    }

    @Test(arguments: [
        ("GET", "/installations"), ("DELETE", "/installations/x"), ("GET", "/classes/_Installation"),
        ("DELETE", "/classes/_Installation/x"), ("POST", "/push"), ("POST", "/push/devices"),
        ("GET", "/scheduledPushMessages"), ("DELETE", "/scheduledPushMessages/1"), ("GET", "/notifications"),
        ("GET", "/notifications/x"), ("DELETE", "/notifications/x"), ("GET", "/classes/BugleLedger"),
        ("POST", "/classes/BugleLock"), ("GET", "/classes/BugleAnything/x"), ("PUT", "/classes/BugleResource/x"),
        ("DELETE", "/classes/BugleResource/x"), ("GET", "/bugle/devices/x/inbox"), ("GET", "/bugle/inboxes"),
        ("POST", "/bugle/faults"), ("POST", "/bugle/clock"),
    ])
    func whatNeedsTheMasterKeyIsForbiddenWithoutIt(method: String, path: String) async throws {
        try await TestServer.run { (server) async throws in
            let answer = try await server.call(method, path, [:], key: .app)
            #expect(answer.status == 403)
            #expect(answer.body["code"] == 403)
        }
    }

    @Test func aQueryWithinAQueryTellsClientsNothingOfClosedClasses() async throws {
        try await TestServer.run { (server) async throws in
            _ = try await server.call("POST", "/classes/BugleLock", ["run": "secret"])
            _ = try await server.call("POST", "/classes/Note", ["guess": "secret"])
            _ = try await server.call("POST", "/classes/Hidden", ["run": "secret", "ACL": [:]])
            for (name, status) in [("BugleLock", 403), ("_Installation", 403), ("Hidden", 200)] {
                let condition = #"{"guess":{"$select":{"query":{"className":"\#(name)"},"key":"run"}}}"#
                let answer = try await server.get("/classes/Note", ["where": condition], key: .app)
                #expect(answer.status == status)
                #expect(answer.body["results"]?.array?.isEmpty ?? true)
            }
        }
    }

    @Test func theHealthNeedsNoKey() async throws {
        try await TestServer.run { (server) async throws in
            let answer = try await server.call("GET", "//health", key: .none)
            #expect(answer.status == 200)
            #expect(answer.body == ["status": "ok"])
        }
    }
}
