import Base
import Foundation
import HTTP
import Push
import Synchronization
import Testing

@testable import Delivery

/// What vendors' services are asked.
@Suite struct VendorRequestTests {
    /// A service that takes everything.
    private let peer = Peer { _, _ in HTTPResponse(status: 200, body: Array(#"{"code":0}"#.utf8)) }

    private func fields(_ request: HTTPRequest) -> [String: String] {
        var components = URLComponents()
        components.percentEncodedQuery = String(decoding: request.body ?? [], as: UTF8.self)
        let items = components.queryItems ?? []
        return Dictionary(uniqueKeysWithValues: items.map { ($0.name, $0.value ?? "") })
    }

    @Test func oppoGetsAMessageForEachDeviceWhateverItsAddressIs() async throws {
        let addresses = ["a", #"b"\c"#, "d+e%20&f=g", "ü"]
        let call = VendorCall(
            message: ["title": "100 %", "action_parameters": ["k": "ü & \"x\""]], addresses: addresses,
            life: .seconds(60), id: "d1", isOpen: { true })
        let asker = VendorAsker(http: peer, hosts: [:], timeout: .seconds(5), now: { Instant(seconds: 1_790_000_000) })
        _ = await OPPOService(appKey: "k", masterSecret: Secret("s")).send(call, bearing: Secret("t&"), asker)
        let form = fields(try #require(peer.requests.first))
        #expect(form["auth_token"] == "t&")
        let text = try #require(form["messages"])
        let messages = try #require(try JSONValue(parsing: text).array)
        #expect(messages.map { $0["target_value"]?.string } == addresses)
        for message in messages {
            #expect(message["target_type"] == 2 && message["notification"]?["title"] == "100 %")
            #expect(message["notification"]?["app_message_id"] == "d1")
            #expect(message["notification"]?["off_line_ttl"] == 60)
            #expect(message["notification"]?["action_parameters"] == #"{"k":"ü & \"x\""}"#)
        }
    }

    @Test(arguments: [(50, 1), (51, 2)] as [(Int, JSONValue)])
    func aTextThatGrewLongerGetsOPPOsStyleOfLongOnes(characters: Int, style: JSONValue) async throws {
        let call = VendorCall(
            message: ["style": 1, "content": .string(String(repeating: "字", count: characters))], addresses: ["a"],
            life: nil, id: "d1", isOpen: { true })
        let asker = VendorAsker(http: peer, hosts: [:], timeout: .seconds(5), now: { Instant(seconds: 1_790_000_000) })
        _ = await OPPOService(appKey: "k", masterSecret: Secret("s")).send(call, bearing: Secret("t"), asker)
        let request = try #require(peer.requests.first)
        let text = try #require(fields(request)["messages"])
        #expect(try JSONValue(parsing: text).array?.first?["notification"]?["style"] == style)
    }

    private static let services: [any VendorService] = [
        HuaweiService(appID: "1", clientSecret: Secret("s")),
        XiaomiService(package: "p", isGlobal: false, appSecret: Secret("s")),
        OPPOService(appKey: "k", masterSecret: Secret("s")),
        VivoService(appID: "1", appKey: "k", appSecret: Secret("s")),
    ]

    @Test(arguments: services.indices) func aCallIsWantedNoMoreOnceItsGateIsClosed(index: Int) async throws {
        let gate = Mutex(true)
        let asker = VendorAsker(http: peer, hosts: [:], timeout: .seconds(5), now: { Instant(seconds: 1_790_000_000) })
        let call = VendorCall(
            message: ["title": "x"], addresses: ["a"], life: nil, id: "d1", isOpen: { gate.withLock(\.self) })
        _ = await Self.services[index].send(call, bearing: Secret("t"), asker)
        let isWanted = try #require(peer.requests.last?.isWanted)
        #expect(isWanted())
        gate.withLock { $0 = false }
        #expect(!isWanted())
    }

    @Test(arguments: [["a"], ["a", "b"]]) func eachRequestToVivoNamesTheApp(addresses: [String]) async throws {
        let vivo = Peer { _, _ in HTTPResponse(status: 200, body: Array(#"{"result":0,"taskId":"t"}"#.utf8)) }
        let asker = VendorAsker(http: vivo, hosts: [:], timeout: .seconds(5), now: { Instant(seconds: 1_790_000_000) })
        let call = VendorCall(message: ["title": "x"], addresses: addresses, life: nil, id: "d1", isOpen: { true })
        _ = await VivoService(appID: "7", appKey: "k", appSecret: Secret("s")).send(call, bearing: Secret("t"), asker)
        #expect(vivo.requests.count == addresses.count)
        for request in vivo.requests {
            let body = try JSONValue(parsing: try #require(request.body))
            #expect(body["appId"] == "7")
        }
    }

    @Test func theIDOfSeveralDevicesIsThatOfTheirListAndStays() {
        #expect(VendorMessage.number(of: ["a", "b", "ü"]) == VendorMessage.number("a,b,ü"))
        #expect(VendorMessage.number(of: ["a", "b"]) != VendorMessage.number(of: ["b", "a"]))
        // Another value in another version would send what was sent once more.
        #expect(VendorMessage.number("delivery") == 2_042_968_661)
    }

    @Test(arguments: [PushVendor.hms, .honor])
    func aClickOpensTheAppWithTheCustomKeys(vendor: PushVendor) async throws {
        var content = MessageContent()
        (content.title, content.body) = (.text("t"), .text("b"))
        content.data = ["game": "42"]
        let call = VendorCall(
            message: VendorMessage.body(vendor, content, own: nil, tag: "d", reportedAs: nil), addresses: ["a"],
            life: nil, id: "d1", isOpen: { true })
        let service: any VendorService =
            vendor == .hms
            ? HuaweiService(appID: "1", clientSecret: Secret("s"))
            : HonorService(appID: "1", clientID: "2", clientSecret: Secret("s"))
        let asker = VendorAsker(http: peer, hosts: [:], timeout: .seconds(5), now: { Instant(seconds: 1_790_000_000) })
        _ = await service.send(call, bearing: Secret("t"), asker)
        let body = try JSONValue(parsing: try #require(peer.requests.first?.body))
        let shown = (body["message"] ?? body)["android"]?["notification"]
        let click = try #require(shown?["click_action"] ?? shown?["clickAction"])
        let intent = try #require(click["intent"]?.string)
        #expect(click["type"] == 1 && intent.contains("scheme=lcpushscheme"))
        let keys = try #require(intent.split(separator: "S.content=").last?.split(separator: ";").first)
        #expect(try JSONValue(parsing: String(keys).removingPercentEncoding ?? "")["game"] == "42")
    }

    @Test func aMessageForHarmonyOSHasAClassWhateverItsProfileSays() {
        func category(_ options: JSONObject) -> JSONValue? {
            VendorMessage.settings(.harmony, options)["payload"]?["notification"]?["category"]
        }
        #expect(category([:]) == "MARKETING" && category(["category": "WORK"]) == "WORK")
    }

    private static let quotas: [(vendor: PushVendor, message: JSONValue, perDay: Int?, hours: String?)] = [
        (.fcm, [:], nil, nil), (.harmony, [:], nil, nil),
        (.hms, [:], 2, nil), (.hms, ["android": ["category": "MARKETING"]], 2, nil),
        (.hms, ["android": ["category": "WORK"]], nil, nil), (.honor, [:], nil, nil),
        (.honor, ["android": ["notification": ["importance": "LOW"]]], 2, nil), (.mi, [:], 1, nil),
        (.mi, ["extra": ["channel_id": "7"]], nil, nil), (.oppo, [:], 2, nil), (.oppo, ["channel_id": "c"], nil, nil),
        (.vivo, [:], 2, "07:00-23:00"), (.vivo, ["classification": 0], 2, "07:00-23:00"),
        (.vivo, ["classification": 1], nil, nil),
    ]

    @Test(arguments: quotas) func whatAVendorsDocumentsLetADeviceHaveInADayDependsOnTheKindOfMessage(
        vendor: PushVendor, message: JSONValue, perDay: Int?, hours: String?
    ) {
        let quota = VendorMessage.quota(vendor, message)
        #expect(quota.perDay == perDay && quota.hours == hours)
    }

    @Test(arguments: [("a", true), ("", false), ("a b", false), ("a,b", false), ("ü", false), ("a\u{7F}", false)])
    func whatIsNoAddressNeverLeaves(address: String, leaves: Bool) async throws {
        let sender = VendorSender(
            XiaomiService(package: "p", isGlobal: false, appSecret: Secret("s")),
            VendorAsker(http: peer, hosts: [:], timeout: .seconds(5), now: { Instant(seconds: 1_790_000_000) }),
            perSecond: nil)
        for address in [address, String(repeating: address, count: 513)] {
            _ = await sender.send(
                PushNotification(to: .vendor, body: .message(["title": "x"], life: nil, id: "d1")),
                to: [SendTarget(token: address, id: APNsID(delivery: "d", token: address))], through: TestGate())
        }
        #expect(peer.requests.count == (leaves ? 1 : 0))
    }
}
