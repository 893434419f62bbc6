import Base
import Testing

@Suite struct JSONObjectTests {
    /// Few are looked through, many have a table.
    private static let sizes = [0, 1, 2, 16, 17, 18, 1000]

    private static func object(_ count: Int) -> JSONObject {
        JSONObject((0..<count).map { ("name\($0)", .integer(Int64($0))) })
    }

    @Test(arguments: sizes) func theMembersKeepTheirOrder(count: Int) throws {
        let text = "{\((0..<count).map { "\"name\($0)\":\($0)" }.joined(separator: ","))}"
        let read = try #require(JSONValue(parsing: text).object)
        #expect(read.keys == (0..<count).map { "name\($0)" })
        #expect(read.values == (0..<count).map { .integer(Int64($0)) })
    }

    @Test(arguments: sizes) func itMeansTheSameInAnyOrder(count: Int) {
        let object = Self.object(count)
        let turned = JSONObject(object.reversed())
        #expect(object == turned)
        #expect(object.hashValue == turned.hashValue)
        #expect(JSONValue.object(object).canonicalBytes == JSONValue.object(turned).canonicalBytes)
        var other = turned
        other["name0"] = "another"
        #expect(object != other)
    }

    @Test(arguments: sizes) func ofOneNameTheFirstCounts(count: Int) {
        let twice = Array(Self.object(count)) + Self.object(count).map { ($0.key, "again") }
        #expect(JSONObject(twice) == Self.object(count))
    }

    /// As texts are compared everywhere: an accented letter is the same with its accent apart.
    @Test(arguments: [2, 1000]) func namesAreEqualAsTextsAre(count: Int) {
        var object = Self.object(count)
        object["Jos\u{E9}"] = 1
        object["Jose\u{301}"] = 2
        #expect(object.count == count + 1)
        #expect(object["Jos\u{E9}"] == 2)
    }

    /// The signs for kelvin, for a question in Greek, and for its grave accent are equal to characters of ASCII.
    @Test(arguments: [2, 1000]) func aNameOfASCIIIsEqualToItsTwin(count: Int) {
        for (name, twin) in [("aK", "a\u{212A}"), ("a;", "a\u{37E}"), ("a`", "a\u{1FEF}")] {
            #expect(name == twin)
            var object = Self.object(count)
            object[name] = 1
            object[twin] = 2
            #expect(object.count == count + 1)
            #expect(object[name] == 2)
        }
    }

    /// Any changes leave what a dictionary has after the same ones.
    @Test func itChangesAsADictionary() {
        var (object, dictionary): (JSONObject, [String: JSONValue]) = ([:], [:])
        for step in 0..<5000 {
            // Growing, then shrinking, across the bound between few and many again and again.
            let name = "name\(step * step % 10_007 % 40)"
            let isRemoved = step * 7919 % 10_007 % 100 < ((step / 500).isMultiple(of: 2) ? 30 : 70)
            let value = isRemoved ? nil : JSONValue.integer(Int64(step))
            object[name] = value
            dictionary[name] = value
            #expect(object.count == dictionary.count)
            #expect(object[name] == dictionary[name])
        }
        #expect(Set(object.keys).count == object.count)
        for (name, value) in object { #expect(dictionary[name] == value) }
    }
}
