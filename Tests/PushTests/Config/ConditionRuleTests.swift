import Base
import Push
import Testing

/// What a condition may ask; each text is the value of `where` in line 3, which begins at column 8.
@Suite struct ConditionRuleTests {
    static func segment(_ condition: String) -> String { "kind: Segment\nname: s\nwhere: \(condition)\n" }

    static let broken: [Rule] = [
        Rule("{a: {$gtt: 1}}", "3:13: error: unknown operator '$gtt'; did you mean '$gt'? [invalid-condition]"),
        Rule("{a: {$foobar: 1}}", "3:13: error: unknown operator '$foobar' [invalid-condition]"),
        Rule("{$no: []}", "3:9: error: unknown operator '$no'; did you mean '$ne'? [invalid-condition]"),
        Rule("{$gt: 1}", "3:9: error: '$gt' must be under a field [invalid-condition]"),
        Rule("{a: {$or: []}}", "3:13: error: '$or' must be next to fields, not under one [invalid-condition]"),
        Rule("{a: {$gt: 1, b: 2}}", "3:21: error: 'b' cannot be next to operators [invalid-condition]"),
        Rule("{a: null}", "3:12: error: 'a' has no value to compare with [invalid-condition]"),
        Rule("{a: {}}", "3:12: error: 'a' has no value to compare with [invalid-condition]"),
        Rule("{a b: 1}", "3:9: error: 'a b' is not the name of a field [invalid-condition]"),
        Rule(
            "{a: {$gt: true}}",
            "3:18: error: '$gt' must be a number, a string or a Date, but found a boolean [wrong-type]"),
        Rule(
            "{a: {$lte: [1]}}",
            "3:19: error: '$lte' must be a number, a string or a Date, but found a sequence [wrong-type]"),
        Rule("{a: {$in: 1}}", "3:18: error: '$in' must be a list, but found an integer [wrong-type]"),
        Rule("{a: {$nin: []}}", "3:19: error: '$nin' must not be empty [invalid-condition]"),
        Rule(
            "{a: {$all: [null]}}",
            "3:20: error: an element of '$all' has no value to compare with [invalid-condition]"),
        Rule("{a: {$exists: 1}}", "3:22: error: '$exists' must be true or false, but found an integer [wrong-type]"),
        Rule("{a: {$size: -1}}", "3:20: error: '$size' must be at least 0 [invalid-value]"),
        Rule("{a: {$regex: 1}}", "3:21: error: '$regex' must be a string, but found an integer [wrong-type]"),
        Rule("{a: {$options: i}}", "3:13: error: '$options' needs '$regex' beside it [invalid-condition]"),
        Rule(
            "{a: {$regex: x, $options: g}}",
            "3:34: error: '$options' must be letters of 'imxs', each once [invalid-condition]"),
        Rule(
            "{a: {$maxDistanceInKilometers: 1}}",
            "3:13: error: '$maxDistanceInKilometers' needs '$nearSphere' beside it [invalid-condition]"),
        Rule(
            "{a: {$nearSphere: [1, 2]}}",
            "3:26: error: '$nearSphere' must be {__type: GeoPoint, latitude: …, longitude: …}, but found a sequence "
                + "[wrong-type]"),
        Rule(
            "{a: {$nearSphere: {__type: GeoPoint, latitude: 91, longitude: 0}}}",
            "3:55: error: 'latitude' must be from -90 to 90 [invalid-value]"),
        Rule(
            "{a: {$within: {$box: [{__type: GeoPoint, latitude: 1, longitude: 0}]}}}",
            "3:23: error: '$box' needs two corners [invalid-condition]"),
        Rule(
            "{a: {__type: Date, iso: yesterday}}",
            "3:32: error: 'iso' must be an instant such as 2026-11-27T20:00:00+08:00, but found 'yesterday' "
                + "[invalid-value]"),
        Rule(
            "{a: {__type: Point}}",
            "3:21: error: unknown type 'Point' [invalid-condition]"),
        Rule("{a: {__type: Dat}}", "3:21: error: unknown type 'Dat'; did you mean 'Date'? [invalid-condition]"),
        Rule("{a: {__type: Pointer, className: Team}}", "3:21: error: missing key 'objectId' [missing-key]"),
        Rule(
            "{a: {__type: Date, iso: 2026-01-01T00:00:00Z, zone: 1}}",
            "3:54: error: unknown key 'zone' [unknown-key]"),
        Rule("{deviceProfile: {$in: [a]}}", "3:24: error: 'deviceProfile' supports equality only [invalid-condition]"),
        Rule(
            "{$or: [{deviceProfile: {$ne: a}}]}",
            "3:31: error: 'deviceProfile' supports equality only [invalid-condition]"),
        Rule("{deviceProfile: 1}", "3:24: error: 'deviceProfile' must be a string, but found an integer [wrong-type]"),
        Rule("{$and: {a: 1}}", "3:15: error: '$and' must be a list of conditions, but found a mapping [wrong-type]"),
        Rule("{$or: []}", "3:14: error: '$or' must not be empty [invalid-condition]"),
        Rule("{$or: [{}]}", "3:15: error: an element of '$or' must name at least one field [invalid-condition]"),
        Rule("{a: {$inQuery: {className: B}}}", "3:13: error: missing key 'where' [missing-key]"),
        Rule("{a: {$inQuery: {b: {$x: 1}}}}", "3:28: error: unknown operator '$x' [invalid-condition]"),
        Rule("{a: {$select: {key: b}}}", "3:13: error: missing key 'query' [missing-key]"),
        Rule("{$relatedTo: {key: b}}", "3:9: error: missing key 'object' [missing-key]"),
    ]

    @Test(arguments: broken)
    func aBrokenConditionIsSaid(_ rule: Rule) async {
        #expect(await SampleFiles.lines(Self.segment(rule.text)) == rule.lines)
    }

    static let valid: [(text: String, json: String)] = [
        ("{a: 1, b: x, c: true, d.e: 1.5}", #"{"a":1,"b":"x","c":true,"d.e":1.5}"#),
        ("{a: [1, x]}", #"{"a":[1,"x"]}"#),
        ("{a: {b: 1}}", #"{"a":{"b":1}}"#),
        (
            "{a: {$ne: x, $gt: 1, $gte: 2, $lt: 3.5, $lte: z}}",
            #"{"a":{"$gt":1,"$gte":2,"$lt":3.5,"$lte":"z","$ne":"x"}}"#
        ),
        ("{a: {$in: [1], $nin: [x], $all: [true]}}", #"{"a":{"$all":[true],"$in":[1],"$nin":["x"]}}"#),
        ("{a: {$exists: false, $size: 2}}", #"{"a":{"$exists":false,"$size":2}}"#),
        ("{a: {$regex: '^x', $options: im}}", #"{"a":{"$options":"im","$regex":"^x"}}"#),
        (
            "{a: {$gt: {__type: Date, iso: 2026-11-27T20:00:00+08:00}}}",
            #"{"a":{"$gt":{"__type":"Date","iso":"2026-11-27T12:00:00.000Z"}}}"#
        ),
        (
            "{a: {__type: Pointer, className: T, objectId: x}}",
            #"{"a":{"__type":"Pointer","className":"T","objectId":"x"}}"#
        ),
        (
            "{a: {$nearSphere: {__type: GeoPoint, latitude: 39.9, longitude: 116}, $maxDistanceInKilometers: 10}}",
            #"{"a":{"$maxDistanceInKilometers":10,"$nearSphere":{"__type":"GeoPoint","latitude":39.9,"longitude":116}}}"#
        ),
        (
            "{a: {$within: {$box: [{__type: GeoPoint, latitude: 1, longitude: 2}, "
                + "{__type: GeoPoint, latitude: 3, longitude: 4}]}}}",
            #"{"a":{"$within":{"$box":[{"__type":"GeoPoint","latitude":1,"longitude":2},"#
                + #"{"__type":"GeoPoint","latitude":3,"longitude":4}]}}}"#
        ),
        (
            "{a: {$inQuery: {className: B, where: {deviceProfile: {$in: [c]}}}}}",
            #"{"a":{"$inQuery":{"className":"B","where":{"deviceProfile":{"$in":["c"]}}}}}"#
        ),
        ("{a: {$notInQuery: {b: 1}}}", #"{"a":{"$notInQuery":{"b":1}}}"#),
        (
            "{a: {$select: {query: {className: B, where: {c: 1}}, key: d}}}",
            #"{"a":{"$select":{"key":"d","query":{"className":"B","where":{"c":1}}}}}"#
        ),
        (
            "{a: {$dontSelect: {query: {className: B, where: {c: 1}}, key: d}}}",
            #"{"a":{"$dontSelect":{"key":"d","query":{"className":"B","where":{"c":1}}}}}"#
        ),
        (
            "{$relatedTo: {object: {__type: Pointer, className: T, objectId: x}, key: u}}",
            #"{"$relatedTo":{"key":"u","object":{"__type":"Pointer","className":"T","objectId":"x"}}}"#
        ),
        (
            "{$or: [{a: 1}, {$and: [{b: 2}, {deviceProfile: driver}]}]}",
            #"{"$or":[{"a":1},{"$and":[{"b":2},{"deviceProfile":"driver"}]}]}"#
        ),
        (
            "{a: {$nearSphere: {__type: GeoPoint, latitude: 1, longitude: 2}, $maxDistance: 0.5, $minDistance: 0, "
                + "$maxDistanceInMiles: 1, $maxDistanceInRadians: 1}}",
            #"{"a":{"$maxDistance":0.5,"$maxDistanceInMiles":1,"$maxDistanceInRadians":1,"$minDistance":0,"#
                + #""$nearSphere":{"__type":"GeoPoint","latitude":1,"longitude":2}}}"#
        ),
    ]

    @Test(arguments: valid)
    func aConditionBecomesTheJSONThatIsSent(_ text: String, _ json: String) async {
        let folder = TemporaryFolder()
        folder.write("bugle.yaml", SampleFiles.workspace)
        folder.write("x.yaml", Self.segment(text))
        let loaded = await folder.load()
        #expect(loaded.diagnostics == [])
        #expect(loaded.workspace?.segments.first?.condition.canonicalText == json)
    }
}
