import Base
import BaseTesting
import Testing

@testable import DeviceRegistry

/// Twice the condition takes twice the time to translate, or is refused as soon.
@Suite(.serialized) struct ConditionCostTests {
    enum Shape: String, CaseIterable {
        case tests, values, members, either, all, keys, longKey, longPattern, points

        func condition(_ size: Int) -> JSONValue {
            func list(_ element: JSONValue) -> JSONValue { .array(Array(repeating: element, count: size / 20)) }
            return switch self {
            case .tests: ["$and": list(["a": 1])]
            case .values: ["a": ["$in": .array((0..<Int64(size / 10)).map { .integer($0) })]]
            case .members: .object(JSONObject((0..<size / 10).map { ("k\($0)", 1) }))
            case .either: ["$or": list(["a": ["$ne": 1]])]
            case .all: ["a": ["$all": list("x")]]
            case .keys: ["a": ["$exists": true, "b": list("x")]]
            case .longKey: [String(repeating: "a.", count: size / 2) + "a": 1]
            case .longPattern: ["a": ["$regex": .string(String(repeating: "(a|", count: size / 3))]]
            case .points: ["a": ["$in": list(["__type": "GeoPoint", "latitude": 1, "longitude": 2])]]
            }
        }
    }

    @Test(arguments: Shape.allCases)
    func twiceTheConditionTakesTwiceTheTime(shape: Shape) {
        let excess = Growth.excess(shape.condition) { condition in
            var translator = ConditionTranslator(className: .installation, access: .master)
            return (try? translator.plan(condition), condition.mentions("$regex"))
        }
        #expect(excess == nil)
    }
}
