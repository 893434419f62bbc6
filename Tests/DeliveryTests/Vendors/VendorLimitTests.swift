import Base
import Push
import Testing

@testable import Delivery

/// What a plan says of the limits of vendors that take many devices in a call.
@Suite struct VendorLimitTests {
    private func sample(_ profile: DeviceProfile, body: String, own: JSONObject = [:]) -> Sample {
        Sample.alert {
            $0.content.title = .text("Giants")
            $0.content.body = .text(body)
            $0.vendors = own
            $0.audience = Audience(channels: ["Giants"], platforms: [.android])
            $0.profiles = [profile]
        }
    }

    @Test func whatStandsUnderAVendorsNameIsMeasuredAndNotWhatItReplaces() {
        let long = String(repeating: "x", count: 128)
        #expect(sample(.android(.mi), body: "2-2").findings == [])
        #expect(
            sample(.android(.mi), body: "2-2", own: ["mi": ["description": .string(long)]]).findings == [
                "error not-supported message.vendors.mi.description: the body has 128 characters, and Xiaomi takes 127"
            ])
        #expect(sample(.android(.mi), body: long, own: ["mi": ["description": "2-2"]]).findings == [])
        #expect(
            sample(.android(.mi), body: long).findings == [
                "error not-supported message.body: the body has 128 characters, and Xiaomi takes 127"
            ])
    }

    @Test(
        arguments: [
            (PushVendor.vivo, 10, 1, true), (.vivo, 11, 1, false), (.vivo, 1, 1022, true), (.vivo, 1, 1023, false),
            (.oppo, 11, 1023, false), (.oppo, 11, 1, true),
        ])
    func moreCustomKeysThanAVendorTakesAreAnErrorAndAreNotSent(
        vendor: PushVendor, keys: Int, characters: Int, isTaken: Bool
    ) {
        let value = JSONValue.string(String(repeating: "x", count: characters))
        let data = JSONObject((0..<keys).map { ("k\($0)", value) })
        let findings = Sample.alert {
            $0.content.title = .text("Giants")
            $0.content.data = data
            $0.audience = Audience(channels: ["Giants"], platforms: [.android])
            $0.profiles = [.android(vendor)]
        }.findings
        #expect(findings.map { $0.hasPrefix("error not-supported message.data: ") } == (isTaken ? [] : [true]))
        let name = vendor == .vivo ? "clientCustomMap" : "action_parameters"
        #expect(VendorMessage.fits(vendor, [name: .object(data)]) == isTaken)
    }

    @Test(arguments: [(PushVendor.mi, "Xiaomi"), (.oppo, "OPPO"), (.vivo, "vivo")])
    func aTitleThatIsEmptyWithoutADevicesValueIsAnError(vendor: PushVendor, name: String) {
        func findings(_ title: String) -> [String] {
            Sample.alert {
                $0.content.title = .text(title)
                $0.audience = Audience(channels: ["Giants"], platforms: [.android])
                $0.profiles = [.android(vendor)]
            }.findings
        }
        #expect(findings("{{nickname|}}") == ["error not-supported message.title: \(name) takes no empty title"])
        #expect(findings("{{nickname|You}}") == [])
    }

    @Test func theLifeOfAMessageCountsAgainstTheLimit() {
        let lasting: [(PushVendor, JSONValue)] = [
            (.hms, ["android": ["ttl": "1296000s"]]), (.honor, ["android": ["ttl": "1296000s"]]),
            (.harmony, ["pushOptions": ["ttl": 1_296_000]]),
        ]
        for (vendor, message) in lasting {
            #expect(VendorMessage.size(vendor, [:]) == VendorMessage.size(vendor, message), "\(vendor)")
        }
    }

    @Test func whatAProfileAddsToAMessageCountsAgainstTheLimit() throws {
        func findings(_ characters: Int, _ options: JSONObject = [:]) -> [String] {
            sample(.android(.hms, options), body: String(repeating: "x", count: characters)).findings
        }
        // The longest that fits by itself: it is in the message twice.
        let most = try #require(stride(from: 2048, to: 1024, by: -1).first { findings($0).isEmpty })
        let found = findings(most, ["category": "WORK", "channel": "s"])
        #expect(found.map { $0.contains("the message to Huawei") } == [true])
    }
}
