import Base
import BaseTesting
import CryptoExtras
import DeliveryTesting
import Dispatch
import HTTP
import Push
import Testing

@testable import Delivery

/// The access tokens of a service account.
@Suite struct AccessTokenTests {
    /// Google's token service: answers in order, the last one again and again.
    private static func google(_ answers: HTTPResponse...) -> Peer {
        Peer { _, number in answers[min(number, answers.count - 1)] }
    }

    private static func token(_ text: String, life: Int64 = 3600) -> HTTPResponse {
        HTTPResponse(
            status: 200,
            body: (["access_token": .string(text), "expires_in": .integer(life)] as JSONValue).canonicalBytes)
    }

    /// The file of an account with a key of its own.
    private static func file() throws -> JSONValue {
        let key = try _RSA.Signing.PrivateKey(keySize: .bits2048)
        return [
            "type": "service_account", "project_id": "giants-app", "private_key_id": "k1",
            "private_key": .string(key.pkcs8PEMRepresentation), "client_email": "bugle@giants-app.example",
            "token_uri": "https://oauth2.example/token",
        ]
    }

    private static let now = Instant(seconds: 1_790_000_000)

    private func source(_ google: Peer, _ clock: FakeClock = FakeClock()) throws -> AccessTokenSource {
        let tokens = GoogleTokens(
            account: try ServiceAccount.read(Self.file().canonicalBytes), address: nil, http: google,
            timeout: .seconds(5), now: { Self.now })
        // However long the machine takes.
        return AccessTokenSource(
            of: "giants-app", uptime: { clock.elapsed }, patience: .never
        ) { () throws(SenderError) in
            try await tokens.fetch()
        }
    }

    @Test func aThousandBatchesAtOnceAskOnce() async throws {
        let google = Self.google(Self.token("t1"))
        let source = try source(google)
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<1000 { group.addTask { try? await source.prepare() } }
        }
        #expect(google.requests.count == 1)
        #expect(source.token() == Secret("t1"))
    }

    /// In many rounds, because it takes somebody who has just looked when the token comes.
    @Test func whoeverLooksWhileTheTokenComesDoesNotAskAgain() async {
        for _ in 0..<1000 {
            let asked = Counter()
            let source = AccessTokenSource(of: "giants-app") {
                asked.next()
                return AccessToken("t1", seconds: 3600)
            }
            await withTaskGroup(of: Void.self) { group in
                for _ in 0..<20 { group.addTask { try? await source.prepare() } }
            }
            #expect(asked.value == 1)
        }
    }

    @Test func itIsRenewedBeforeItEnds() async throws {
        let (google, clock) = (Self.google(Self.token("t1"), Self.token("t2")), FakeClock())
        let source = try source(google, clock)
        try await source.prepare()
        clock.advance(.seconds(3600 - 301))
        try await source.prepare()
        #expect(source.token() == Secret("t1") && google.requests.count == 1)
        clock.advance(.seconds(2))
        try await source.prepare()
        #expect(source.token() == Secret("t2") && google.requests.count == 2)
    }

    @Test func aRefusedOneIsReplacedUnlessItIsNew() async throws {
        let (google, clock) = (Self.google(Self.token("t1"), Self.token("t2")), FakeClock())
        let source = try source(google, clock)
        try await source.prepare()
        #expect(source.renewedToken(insteadOf: Secret("t1")) == Secret("t1"))
        clock.advance(AccessTokenSource.spacing)
        // The thread of a sender, not one of those that run tasks.
        let renewed: Secret = await withCheckedContinuation { continuation in
            let thread = WorkerThread { continuation.resume(returning: source.renewedToken(insteadOf: Secret("t1"))) }
            #expect(thread != nil)
        }
        #expect(renewed == Secret("t2") && google.requests.count == 2)
    }

    @Test func aServiceThatGivesNoOtherTokenHoldsUpTheSenderOnce() async throws {
        let (google, clock) = (Self.google(Self.token("t1"), HTTPResponse(status: 503)), FakeClock())
        let source = try source(google, clock)
        try await source.prepare()
        clock.advance(AccessTokenSource.spacing)
        let asked: Int = await withCheckedContinuation { continuation in
            let thread = WorkerThread {
                for _ in 0..<100 { _ = source.renewedToken(insteadOf: Secret("t1")) }
                continuation.resume(returning: google.requests.count)
            }
            #expect(thread != nil)
        }
        #expect(asked == 2 && source.outage != nil)
        clock.advance(AccessTokenSource.spacing)
        #expect(await source.replace(Secret("t1")) == false)
        #expect(google.requests.count == 3)
    }

    @Test func whatItSignsIsWhatGoogleChecks() async throws {
        let google = Self.google(Self.token("t1"))
        try await source(google).prepare()
        let request = try #require(google.requests.first)
        #expect(request.url == "https://oauth2.example/token")
        let form = String(decoding: request.body ?? [], as: UTF8.self)
        let assertion = try #require(form.split(separator: "assertion=").last).split(separator: ".")
        #expect(assertion.count == 3)
    }

    @Test(arguments: [
        ("{}", 200, true), (#"{"access_token":"a\nb","expires_in":3600}"#, 200, true),
        (#"{"access_token":"t"}"#, 200, true), ("<html>", 200, true), ("<html>", 502, true),
        (#"{"error":"invalid_grant"}"#, 400, false),
    ])
    func anAnswerWithoutATokenIsAnErrorThatMayPassUnlessItIsARefusal(
        body: String, status: Int, mayPass: Bool
    ) async throws {
        let source = try source(Self.google(HTTPResponse(status: status, body: Array(body.utf8))))
        let error = await #expect(throws: SenderError.self) { try await source.prepare() }
        #expect(error?.isTransient == mayPass)
    }

    @Test func aWrongClockIsSaidWithItsSize() async throws {
        let google = Self.google(
            HTTPResponse(
                status: 400, headers: ["Date": (Self.now + .seconds(600)).httpDate],
                body: Array(#"{"error":"invalid_grant"}"#.utf8)))
        let error = await #expect(throws: SenderError.self) { try await source(google).prepare() }
        let text = try #require(error).description
        #expect(text.contains("10 min") && text.contains("behind Google's"), "\(text)")
    }

    @Test(arguments: [
        ("type", "authorized_user"), ("project_id", "../x"), ("client_email", ""), ("private_key", "no key"),
        ("token_uri", "http://oauth2.example/token"),
    ])
    func aFileThatIsNoAccountsKeyIsRefused(name: String, value: String) throws {
        var file = try Self.file()
        file[name] = .string(value)
        #expect(throws: CredentialError.self) { try ServiceAccount.read(file.canonicalBytes) }
    }

    @Test func nothingShowsTheKey() throws {
        let account = try ServiceAccount.read(Self.file().canonicalBytes)
        var dumped = ""
        dump(account, to: &dumped)
        #expect(!dumped.contains("PRIVATE") && !"\(account)".contains("PRIVATE"))
    }
}
