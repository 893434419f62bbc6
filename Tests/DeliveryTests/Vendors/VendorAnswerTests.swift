import Base
import CryptoExtras
import HTTP
import Push
import Testing

@testable import Delivery

/// What vendors' answers mean, each row that decides something, and what nobody documented.
@Suite struct VendorAnswerTests {
    /// A service account of Huawei's with a key of its own.
    private static func account(_ change: (inout JSONValue) -> Void = { _ in }) throws -> HuaweiAccount {
        let key = try _RSA.Signing.PrivateKey(keySize: .bits2048)
        var file: JSONValue = [
            "project_id": "101", "key_id": "k", "sub_account": "1000",
            "private_key": .string(key.pkcs8PEMRepresentation),
        ]
        change(&file)
        return try HuaweiAccount.read(file.canonicalBytes)
    }

    private static let services: [PushVendor: any VendorService] = [
        .honor: HonorService(appID: "1", clientID: "2", clientSecret: Secret("s")),
        .hms: HuaweiService(appID: "1", clientSecret: Secret("s")),
        .mi: XiaomiService(package: "p", isGlobal: false, appSecret: Secret("s")),
        .oppo: OPPOService(appKey: "k", masterSecret: Secret("s")),
        .vivo: VivoService(appID: "1", appKey: "k", appSecret: Secret("s")),
    ]

    private static let token: JSONValue = [
        "access_token": "t", "expires_in": 3600, "code": 0, "result": 0, "data": ["auth_token": "t"], "authToken": "t",
        "taskId": "task",
    ]

    private static func isToken(_ request: HTTPRequest) -> Bool {
        ["/oauth2/v3/token", "/auth/token", "/server/v1/auth", "/message/auth", "/message/saveListPayload"]
            .contains { request.url.hasSuffix($0) }
    }

    /// The verdicts on three devices where the call is answered like this.
    private func verdicts(
        _ vendor: PushVendor, _ status: Int, _ body: JSONValue, devices: [String] = ["a", "b", "c"]
    ) async throws -> (verdicts: [Verdict], calls: Int) {
        let peer = Peer { request, _ throws(TransportError) in
            Self.isToken(request)
                ? HTTPResponse(status: 200, body: Self.token.canonicalBytes)
                : HTTPResponse(status: status, body: body.canonicalBytes)
        }
        let service: (any VendorService)? =
            vendor == .harmony ? HarmonyService(account: try Self.account()) : Self.services[vendor]
        let sender = VendorSender(
            try #require(service),
            VendorAsker(http: peer, hosts: [:], timeout: .seconds(5), now: { Instant(seconds: 1_790_000_000) }),
            perSecond: nil)
        let answers = await sender.send(
            PushNotification(to: .vendor, body: .message(["title": "x"], life: .seconds(60), id: "d1")),
            to: devices.map { SendTarget(token: $0, id: APNsID(delivery: "d", token: $0)) }, through: TestGate())
        return (answers, peer.requests.count { !Self.isToken($0) })
    }

    private func words(_ verdicts: [Verdict]) -> [String] {
        verdicts.map { verdict in
            switch verdict {
            case .accepted: "accepted"
            case .refused(.service(let reason, _)): reason.word
            case .refused: "refused"
            case .notSent: "not sent"
            case .unknown: "unknown"
            }
        }
    }

    private static let partial: [(PushVendor, JSONValue, [String])] = [
        (.hms, ["code": "80000000"], ["accepted", "accepted", "accepted"]),
        (
            .hms, ["code": "80100000", "msg": #"{"success":2,"failure":1,"illegal_tokens":["b"]}"#],
            ["accepted", "hms:DEAD", "accepted"]
        ),
        // Who was accepted is not said, or somebody who was not asked for is named.
        (.hms, ["code": "80100000", "msg": "oh"], ["unknown", "unknown", "unknown"]),
        (.hms, ["code": "80100000", "msg": #"{"illegal_tokens":["z"]}"#], ["unknown", "unknown", "unknown"]),
        (
            .harmony,
            [
                "code": "80100000",
                "msg": #"{"success":1,"failure":2,"illegalTokens":{"tokenFormatError":["a"],"noRight":["c"]}}"#,
            ], ["harmony:DEAD", "accepted", "harmony:NOT_SERVED"]
        ),
        (
            .harmony, ["code": "80300007", "msg": #"{"illegalTokens":{"tokenFormatError":["a","b"]}}"#],
            ["harmony:DEAD", "harmony:DEAD", "harmony:NOT_SERVED"]
        ),
        (.harmony, ["code": "80100000", "msg": "{}"], ["unknown", "unknown", "unknown"]),
        (
            .honor,
            ["code": 200, "data": ["sendResult": true, "expireTokens": ["b"], "failTokens": ["c"]]],
            ["accepted", "honor:DEAD", "honor:NOT_SERVED"]
        ),
        // Honor's codes are not known: nothing but the whole answer counts.
        (.honor, ["code": 200, "data": ["sendResult": false]], ["unknown", "unknown", "unknown"]),
        (.honor, ["code": 0, "data": ["sendResult": true]], ["unknown", "unknown", "unknown"]),
        (.honor, ["code": 80_300_007], ["unknown", "unknown", "unknown"]),
        (.mi, ["code": 0, "data": ["bad_regids": "a,c"]], ["mi:DEAD", "accepted", "mi:DEAD"]),
        (.mi, ["code": 0], ["accepted", "accepted", "accepted"]),
        (.mi, ["code": 0, "data": ["bad_regids": "a, c"]], ["unknown", "unknown", "unknown"]),
        (
            .oppo,
            [
                "code": 0,
                "data": [["registrationId": "a"], ["registrationId": "b", "errorCode": 10000]],
            ], ["accepted", "oppo:10000", "unknown"]
        ),
        (
            .oppo,
            [
                "code": 0,
                "data": [
                    ["registrationId": "a", "errorCode": 10001], ["registrationId": "b"],
                    ["registrationId": "c", "errorCode": 33],
                ],
            ], ["unknown", "accepted", "oppo:33"]
        ),
        (
            .vivo, ["result": 0, "invalidUsers": [["userid": "a", "status": 1], ["userid": "c", "status": 2]]],
            ["vivo:DEAD", "accepted", "vivo:NOT_SERVED"]
        ),
        (.vivo, ["result": 0], ["accepted", "accepted", "accepted"]),
    ]

    @Test(arguments: partial)
    func eachDeviceGetsItsOwnVerdict(vendor: PushVendor, body: JSONValue, expected: [String]) async throws {
        #expect(words(try await verdicts(vendor, 200, body).verdicts) == expected)
    }

    private static let codes: [(PushVendor, JSONValue, ReasonDecision?)] = [
        (.hms, ["code": "80300007"], .dropTokenIfEnvironmentIsRight), (.hms, ["code": "80100016"], .giveUp(.payload)),
        (.hms, ["code": "80300002"], .giveUp(.credential)), (.hms, ["code": "81000001"], nil),
        (.hms, ["code": "80600003"], nil), (.hms, ["code": "99999999"], nil), (.hms, ["code": 80_000_000], nil),
        (.mi, ["code": 21301], .giveUp(.credential)), (.mi, ["code": 200_001], .stopUntil(hour: 0)),
        (.mi, ["code": 200_002], .wait(.tooManyRequests)), (.mi, ["code": 20301], nil), (.mi, ["code": 10002], nil),
        (.mi, ["code": "0"], nil), (.mi, [:], nil),
        (.oppo, ["code": 33], .stopUntil(hour: 0)), (.oppo, ["code": 16], .giveUp(.credential)),
        (.oppo, ["code": -2], .wait(.tooManyRequests)), (.oppo, ["code": -1], nil), (.oppo, ["code": 32], nil),
        (.oppo, ["code": 20], .giveUp(.payload)), (.oppo, ["code": 51], .giveUp(.payload)),
        (.mi, ["code": 65_036], .giveUp(.payload)), (.hms, ["code": "80100017"], .wait(.tooManyRequests)),
        (.harmony, ["code": "80300029"], .wait(.tooManyRequests)), (.oppo, ["code": 15_000], nil),
        (.oppo, ["code": 0, "data": [:]], nil),
        (.vivo, ["result": 10070], .stopUntil(hour: 0)), (.vivo, ["result": 10085], .giveUp(.payload)),
        (.vivo, ["result": 10302], .refuseToken), (.vivo, ["result": 10040], nil),
        (.vivo, ["result": 10054], nil), (.vivo, ["result": "0"], nil),
    ]

    @Test(arguments: codes)
    func aCodeOfTheWholeCallIsOneOrProvesNothing(
        vendor: PushVendor, body: JSONValue, decision: ReasonDecision?
    ) async throws {
        for verdict in try await verdicts(vendor, 200, body).verdicts {
            switch verdict {
            case .refused(.service(let reason, _)): #expect(reason.row.decision == decision)
            case .unknown: #expect(decision == nil)
            default: Issue.record("\(verdict)")
            }
        }
    }

    @Test(arguments: ["project_id", "key_id", "sub_account", "private_key"])
    func aFileThatIsNoAccountOfHuaweisIsRefused(name: String) {
        #expect(throws: CredentialError.self) { try Self.account { $0[name] = "" } }
    }

    @Test(arguments: [PushVendor.hms, .honor, .mi, .oppo, .vivo], [500, 502, 504, 302])
    func aServersErrorIsUnknown(vendor: PushVendor, status: Int) async throws {
        #expect(words(try await verdicts(vendor, status, [:]).verdicts) == ["unknown", "unknown", "unknown"])
    }

    @Test func tooManyCallsAtHuaweiAreARefusal() async throws {
        #expect(words(try await verdicts(.hms, 503, [:]).verdicts) == ["hms:HTTP 503", "hms:HTTP 503", "hms:HTTP 503"])
    }

    @Test(arguments: [PushVendor.hms, .mi, .oppo, .vivo], [true, false])
    func aLostAnswerIsUnknownAndALostRequestIsNotSent(vendor: PushVendor, wasSent: Bool) async throws {
        let peer = Peer { request, _ throws(TransportError) in
            if Self.isToken(request) { return HTTPResponse(status: 200, body: Self.token.canonicalBytes) }
            throw TransportError(
                .internalFailure, sent: wasSent ? .possibly : .nothing, request: "POST", detail: "it broke")
        }
        let sender = VendorSender(
            try #require(Self.services[vendor]),
            VendorAsker(http: peer, hosts: [:], timeout: .seconds(5), now: { Instant(seconds: 1) }), perSecond: nil)
        let answers = await sender.send(
            PushNotification(to: .vendor, body: .message([:], life: nil, id: "d")),
            to: ["a", "b"].map { SendTarget(token: $0, id: APNsID(delivery: "d", token: $0)) }, through: TestGate())
        #expect(words(answers) == (wasSent ? ["unknown", "unknown"] : ["not sent", "not sent"]))
        #expect(peer.requests.count { !Self.isToken($0) } == 1)
    }

    @Test(arguments: [
        (PushVendor.hms, "code", JSONValue("80200003")), (.oppo, "code", 11), (.vivo, "result", 10000),
    ])
    func aRefusedTokenThatIsNewIsNotAskedForAgain(vendor: PushVendor, name: String, code: JSONValue) async throws {
        let found = try await verdicts(vendor, 200, .object([name: code]))
        #expect(found.calls == 1)
        guard case .refused(.service(let reason, _)) = found.verdicts[0] else {
            Issue.record("\(found.verdicts)")
            return
        }
        #expect(reason.row.decision == .renew)
    }

    private static let refusedTokens: [(PushVendor, JSONValue, mayPass: Bool)] = [
        (.oppo, ["code": -1], true), (.oppo, ["code": 13], true), (.oppo, ["code": 15_000], true), (.oppo, [:], true),
        (.oppo, ["code": 0], true), (.oppo, ["code": 16], false), (.oppo, ["code": 28], false),
        (.vivo, ["result": 10072], true), (.vivo, ["result": 10040], true), (.vivo, [:], true),
        (.vivo, ["result": 10000], false), (.vivo, ["result": 10094], false),
    ]

    @Test(arguments: refusedTokens)
    func onlyADocumentedRefusalOfATokenSaysSomethingOfTheCredential(
        vendor: PushVendor, body: JSONValue, mayPass: Bool
    ) async throws {
        let peer = Peer { _, _ in HTTPResponse(status: 200, body: body.canonicalBytes) }
        let asker = VendorAsker(http: peer, hosts: [:], timeout: .seconds(5), now: { Instant(seconds: 1_790_000_000) })
        let service = try #require(Self.services[vendor])
        let error = await #expect(throws: SenderError.self) { _ = try await service.token(asker) }
        #expect(error?.isTransient == mayPass)
    }

    @Test func everyWordOfATableReadsBack() {
        for (vendor, code) in [(PushVendor.hms, "80300007"), (.mi, "DEAD"), (.oppo, "-2"), (.vivo, "10302")] {
            let reason = VendorReason(vendor, code)
            #expect(
                reason != nil && reason.flatMap { ServiceReason(word: $0.word) } == reason.map(ServiceReason.vendor))
        }
        #expect(ServiceReason(word: "hms:1") == nil && ServiceReason(word: "apns:DEAD") == nil)
    }

    @Test(arguments: ["a,b", "", "a b", "a\nb", "名字"])
    func anAddressThatCouldBeSeveralDevicesNeverLeaves(address: String) async throws {
        let found = try await verdicts(.mi, 200, ["code": 0], devices: ["x", address, "y"])
        guard case .notSent(.service(let reason, _)) = found.verdicts[1] else {
            Issue.record("\(found.verdicts)")
            return
        }
        #expect(reason.word == "mi:NOT_SERVED" && reason.row.decision == .refuseToken)
        #expect(found.verdicts[0] == .accepted && found.verdicts[2] == .accepted && found.calls == 1)
    }

    @Test func aCallIsNotMadeAgainBecauseOneDeviceWasRefusedItsToken() async throws {
        let found = try await verdicts(
            .oppo, 200,
            [
                "code": 0,
                "data": [["registrationId": "a", "errorCode": 11], ["registrationId": "b"], ["registrationId": "c"]],
            ])
        #expect(found.calls == 1 && words(found.verdicts) == ["oppo:11", "accepted", "accepted"])
    }

    private static let unreadable: [(PushVendor, JSONValue)] = [
        (PushVendor.oppo, ["code": 0, "data": [["registrationId": "a", "errorCode": "10000"]]]),
        (.oppo, ["code": 0, "data": [["registrationId": "a"], ["registrationId": "a", "errorCode": 33]]]),
        (.mi, ["code": 0, "data": ["bad_regids": ["a"]]]), (.vivo, ["result": 0, "invalidUsers": [["status": 1]]]),
        (.vivo, ["result": 0, "invalidUsers": [["userid": "z", "status": 1]]]),
        (.vivo, ["result": 0, "invalidUsers": ["b"]]), (.vivo, ["result": 0, "invalidUsers": "b"]),
        (.honor, ["code": 200, "data": ["sendResult": true, "expireTokens": "b"]]),
        (.honor, ["code": 200, "data": ["sendResult": true, "failTokens": ["z"]]]),
        (.hms, ["code": "80100000", "msg": #"{"illegal_tokens":["b",7]}"#]),
        (.harmony, ["code": "80100000", "msg": #"{"illegalTokens":{"tokenFormatError":["b"],"noRight":"a"}}"#]),
    ]

    @Test(arguments: unreadable)
    func anAnswerThatCannotBeReadInFullProvesNothing(vendor: PushVendor, body: JSONValue) async throws {
        #expect(words(try await verdicts(vendor, 200, body).verdicts)[0] == "unknown")
    }

    @Test func aCodeAboutOneDeviceLeavesTheOthersOfItsCallAlone() async throws {
        #expect(
            words(try await verdicts(.mi, 200, ["code": 10029]).verdicts) == Array(repeating: "mi:NOT_SERVED", count: 3)
        )
        #expect(words(try await verdicts(.mi, 200, ["code": 10029], devices: ["a"]).verdicts) == ["mi:10029"])
    }

    @Test func nobodySaysInAFileWhomAMessageIsFor() {
        let own: JSONValue = ["token": "x", "registration_id": "y", "title": "z", "target": ["token": ["x"]]]
        for vendor in PushVendor.allCases where vendor != .apns {
            let body = VendorMessage.body(vendor, MessageContent(), own: own, tag: "d", reportedAs: nil)
            #expect(body["token"] == nil && body["registration_id"] == nil && body["target"] == nil)
            #expect(body["title"] == "z")
        }
    }

    @Test func aValueInACustomKeyStaysInsideItsText() async throws {
        var content = MessageContent()
        (content.title, content.body) = (.text("t"), .text("b"))
        content.data = ["user": ["name": "{{name|you}}"]]
        let made = VendorMessage.body(.vivo, content, own: nil, tag: "d", reportedAs: nil)
        let message = made.filled { _ in #"x","role":"admin"# }
        let map = try #require(message["clientCustomMap"]?["user"])
        #expect(map == ["name": #"x","role":"admin"#])
    }

    @Test func thousandsAreSplitAndNobodyIsNamedTwice() async throws {
        let devices = (0..<2500).map { "r\($0)" }
        let found = try await verdicts(.mi, 200, ["code": 0], devices: devices)
        #expect(found.calls == 3 && found.verdicts.count == 2500)
    }
}
