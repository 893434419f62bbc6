import Base
import DeviceRegistry
import Push
import Testing

@testable import Delivery

/// The rules of a policy that leave out devices, on their way into an order and an audience to count.
@Suite struct RestraintTests {
    private static let sample = Sample.alert {
        $0.holdout = Holdout(share: Share(parts: 250), salt: "2027-q1", exempt: ["kind": "transactional"])
        $0.frequency = [FrequencyRule(most: 2, per: .seconds(86_400), exempt: ["kind": "transactional"])]
    }

    @Test func anOrderHasTheRulesAndNobodysExemptions() throws {
        let body = Self.sample.body
        #expect(body["holdout"] == ["share": "2.5%", "salt": "2027-q1"])
        #expect(body["frequency"] == [["most": 2, "per": 86_400]])
        let order = try DeliveryOrder(body)
        #expect(order.holdout == Holdout(share: Share(parts: 250), salt: "2027-q1"))
        #expect(order.frequency == [FrequencyRule(most: 2, per: .seconds(86_400))])
        #expect(order.body == body)
        #expect(Sample.alert().body["holdout"] == nil && Sample.alert().body["frequency"] == nil)
    }

    @Test func whatIsCountedIsUnderTheSameRules() throws {
        let counted = try #require(APNsEncoder().audience(of: Self.sample.encoded.request))
        let audience = try DeliveryAudience(counted: counted)
        #expect(audience.holdout == Holdout(share: Share(parts: 250), salt: "2027-q1"))
        #expect(audience.frequency == [FrequencyRule(most: 2, per: .seconds(86_400))])
        let free = try #require(APNsEncoder().audience(of: Sample.alert().encoded.request))
        #expect(try !DeliveryAudience(counted: free).isRestrained)
    }

    @Test(
        arguments: [
            ("holdout", ["share": "5%"]), ("holdout", ["share": "101%", "salt": "a"]),
            ("holdout", ["share": "5%", "salt": "a", "more": 1]), ("frequency", [["most": 0, "per": 1]]),
            ("frequency", [["most": 256, "per": 1]]), ("frequency", [["most": 1, "per": 0]]),
            ("frequency", ["most": 1]),
        ] as [(String, JSONValue)])
    func aRuleThatCannotBeReadIsNotIgnored(_ name: String, _ value: JSONValue) {
        var body = Sample.alert().body
        body[name] = value
        #expect(throws: DeliveryOrderError.self) { try DeliveryOrder(body) }
        var counted: JSONValue = ["where": [:], "routes": body["routes"] ?? []]
        counted[name] = value
        #expect(throws: RemoteError.self) { try DeliveryAudience(counted: counted) }
    }
}
