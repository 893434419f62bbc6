import Base
import Testing

@testable import APNsSimulator

/// What the simulator knows of Android's vendors, without a connection.
@Suite struct VendorTests {
    @Test func aFaultOfOneServiceLeavesTheOthersAlone() {
        let faults = FaultBook()
        let id = faults.add(Fault(.reset(processed: true), limit: 1, service: "hms"))
        let token = DeviceToken(vendor: "call", "1")
        for service in ["apple", "fcm", "oppo"] { #expect(faults.draw(for: token, of: service).effect == nil) }
        #expect(faults.draw(for: token, of: "hms").effect == .reset(processed: true))
        #expect(faults.draw(for: token, of: "hms").effect == nil)
        #expect(faults.all.first { $0.id == id }?.hits == 1)
    }

    @Test func aQuotaRefusesTheCallsThatExceedItUntilAnotherIsSet() {
        let book = VendorBook()
        #expect(book.takes(1000, of: "oppo"))
        book.allow(1500, of: "oppo")
        #expect(book.takes(1000, of: "oppo"))
        #expect(!book.takes(1000, of: "oppo") && book.takes(1000, of: "vivo"))
        #expect(book.takes(500, of: "oppo") && !book.takes(1, of: "oppo"))
        book.allow(1, of: "oppo")
        #expect(book.takes(1, of: "oppo"))
    }

    @Test func countsAreKeptForEachTopic() throws {
        var configuration = SimulatorConfiguration()
        configuration.recording = .counts
        let devices = DeviceBook(configuration)
        for (vendor, id) in [("hms", "a"), ("hms", "b"), ("hms", "a"), ("mi", "a")] {
            let push = ReceivedPush(id: id, topic: vendor, priority: 10, payload: [], receivedAt: 0)
            devices.deliver(DeviceToken(vendor: vendor, id), topic: vendor, push)
        }
        #expect(devices.summary(topic: "hms", collapseID: nil) == InboxSummary(devices: 2, messages: 3, duplicates: 1))
        #expect(devices.summary(topic: "mi", collapseID: nil) == InboxSummary(devices: 1, messages: 1, duplicates: 0))
        #expect(devices.summary(topic: nil, collapseID: nil) == InboxSummary(devices: 3, messages: 4, duplicates: 1))
    }

    @Test(
        arguments: [
            (Int64.min, 1_790_003_600), (Int64.max, 1_790_003_600), (1_790_000_000, Int64.min), (Int64.min, Int64.max),
        ] as [(Int64, Int64)])
    func aTokenOfAnImpossibleTimeIsRefused(issued: Int64, end: Int64) throws {
        func token(_ header: JSONValue, _ claims: JSONValue) -> String {
            var claims = claims
            claims["iat"] = .integer(issued)
            claims["exp"] = .integer(end)
            return [header, claims].map(\.canonicalBytes.base64URL).joined(separator: ".") + ".c2lnbmVk"
        }
        let project = try FirebaseProject.make(id: "giants").project
        let book = FirebaseBook()
        book.register(project)
        let assertion = token(
            ["alg": "RS256"],
            [
                "iss": .string(project.email), "aud": .string(FirebaseProject.audience),
                "scope": .string(FirebaseProject.scope),
            ])
        #expect(book.token(for: assertion, at: 1_790_000_000) == nil)
        let own = token(
            ["alg": "PS256", "kid": "key-1"],
            ["iss": "account-101", "aud": "https://oauth-login.cloud.huawei.com/oauth2/v3/token"])
        #expect(try HarmonyProject.make(id: "101").project.fault(of: own[...], at: 1_790_000_000) != nil)
    }

    @Test(arguments: [
        ("hms", "80300011", 200), ("mi", "200001", 200), ("oppo", "33", 200), ("vivo", "10070", 200),
        ("honor", "401", 401), ("hms", "HTTP 404", 404), ("vivo", "down", 503),
    ])
    func aFaultIsAnsweredInTheVendorsWords(vendor: String, code: String, status: Int) {
        let answer = Answer(APNsReason(status: status == 200 ? 400 : status, name: code), of: vendor)
        #expect(answer.status == status && !answer.isProcessed && answer.reason == code)
        let body = String(decoding: answer.body, as: UTF8.self)
        #expect(body.contains(code) == (status == 200), "\(body)")
    }
}
