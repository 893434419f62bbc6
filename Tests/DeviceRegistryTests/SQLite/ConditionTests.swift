import Base
import DeviceRegistry
import Testing

@Suite struct ConditionTests {
    /// A condition and the names that fit it.
    struct Row: Sendable, CustomTestStringConvertible {
        let condition: String
        let names: String
        var testDescription: String { condition }

        init(_ condition: String, _ names: String) {
            self.condition = condition
            self.names = names
        }
    }

    @Test(arguments: [
        // Equality, by type.
        Row(#"{}"#, "a b c d"),
        Row(#"{"n":1}"#, "a"), Row(#"{"n":1.0}"#, "a"), Row(#"{"n":"1"}"#, "d"), Row(#"{"n":2.5}"#, "b"),
        Row(#"{"s":"beta"}"#, "b"), Row(#"{"on":true}"#, "a"), Row(#"{"on":1}"#, ""), Row(#"{"none":null}"#, "a b c d"),
        Row(#"{"n":null}"#, ""), Row(#"{"s":"alpha","n":1}"#, "a"), Row(#"{"s":"alpha","n":2}"#, ""),
        Row(#"{"tags":"y"}"#, "a b"), Row(#"{"tags":["y"]}"#, "b"), Row(#"{"tags":[]}"#, "c"),
        Row(#"{"mixed":1}"#, "a"), Row(#"{"mixed":"1"}"#, "a"), Row(#"{"mixed":true}"#, ""),
        Row(#"{"mixed":{"a":1,"b":2}}"#, "a"), Row(#"{"deep":{"k":7}}"#, "b"), Row(#"{"deep":7}"#, ""),
        Row(#"{"when":{"__type":"Date","iso":"2021-06-01T00:00:00.500Z"}}"#, "b"),
        Row(#"{"who":{"__type":"Pointer","className":"_User","objectId":"U1"}}"#, "a"),
        Row(#"{"who":{"__type":"Pointer","className":"Other","objectId":"U1"}}"#, ""),
        Row(#"{"mixed":{"__type":"Pointer","className":"_User","objectId":"U2"}}"#, "a"),
        Row(#"{"at":{"__type":"GeoPoint","latitude":40,"longitude":116.3}}"#, "b"),
        Row(#"{"createdAt":{"__type":"Date","iso":"2026-11-21T12:00:00.000Z"}}"#, "a b c d"),
        // Dotted keys.
        Row(#"{"deep.k":5}"#, "a"), Row(#"{"deep.m.z":"q"}"#, "a"), Row(#"{"deep.k":{"$gte":5}}"#, "a b"),
        // Comparison keeps to the type.
        Row(#"{"n":{"$ne":1}}"#, "b c d"), Row(#"{"tags":{"$ne":"x"}}"#, "b c d"),
        Row(#"{"on":{"$ne":true}}"#, "b c d"),
        Row(#"{"n":{"$gt":1}}"#, "b c"), Row(#"{"n":{"$gte":1}}"#, "a b c"), Row(#"{"n":{"$lt":10}}"#, "a b"),
        Row(#"{"n":{"$lte":2.5}}"#, "a b"), Row(#"{"n":{"$gt":1,"$lt":10}}"#, "b"), Row(#"{"n":{"$gt":"0"}}"#, "d"),
        Row(#"{"s":{"$lt":"b"}}"#, "a c"),
        Row(#"{"when":{"$gt":{"__type":"Date","iso":"2020-06-01T00:00:00Z"}}}"#, "b"),
        Row(#"{"updatedAt":{"$gt":{"__type":"Date","iso":"2026-11-21T12:00:00Z"}}}"#, ""),
        Row(#"{"updatedAt":{"$lte":"2026-11-21T12:00:00Z"}}"#, "a b c d"),
        // Lists.
        Row(#"{"n":{"$in":[1,10]}}"#, "a c"), Row(#"{"n":{"$in":["1",2.5]}}"#, "b d"), Row(#"{"n":{"$in":[]}}"#, ""),
        Row(#"{"tags":{"$in":["x","z"]}}"#, "a"), Row(#"{"on":{"$in":[true,null]}}"#, "a c d"),
        Row(#"{"n":{"$nin":[1,10]}}"#, "b d"), Row(#"{"tags":{"$nin":["x"]}}"#, "b c d"),
        Row(#"{"tags":{"$all":["x","y"]}}"#, "a"), Row(#"{"tags":{"$all":["y"]}}"#, "a b"),
        Row(#"{"tags":{"$size":1}}"#, "b"), Row(#"{"tags":{"$size":0}}"#, "c"), Row(#"{"s":{"$size":1}}"#, ""),
        Row(#"{"tags":{"$exists":true}}"#, "a b c"), Row(#"{"tags":{"$exists":false}}"#, "d"),
        Row(#"{"none":{"$exists":true}}"#, "c"), Row(#"{"objectId":{"$exists":false}}"#, ""),
        // Regular expressions.
        Row(#"{"s":{"$regex":"^a"}}"#, "a"), Row(#"{"s":{"$regex":"^g","$options":"i"}}"#, "c"),
        Row(#"{"s":{"$regex":"^ray","$options":"m"}}"#, "c"), Row(#"{"s":{"$regex":"Gamma.ray"}}"#, ""),
        Row(#"{"s":{"$regex":"Gamma.ray","$options":"s"}}"#, "c"),
        Row(#"{"s":{"$regex":" b e t a ","$options":"x"}}"#, "b"),
        Row(#"{"tags":{"$regex":"\\Qx\\E"}}"#, "a"), Row(#"{"n":{"$regex":"1"}}"#, "d"),
        // Together.
        Row(#"{"$or":[{"n":1},{"s":"beta"}]}"#, "a b"), Row(#"{"$and":[{"n":{"$gt":1}},{"n":{"$lt":5}}]}"#, "b"),
        Row(#"[{"n":{"$gt":1}},{"n":{"$lt":5}}]"#, "b"), Row(#"{"$or":[{"n":1},{"n":10}],"tags":{"$size":0}}"#, "c"),
        Row(#"{"$or":[]}"#, ""), Row(#"{"$and":[]}"#, "a b c d"),
        // Places.
        Row(
            #"{"at":{"$within":{"$box":[{"__type":"GeoPoint","latitude":39,"longitude":116},{"__type":"GeoPoint","latitude":39.99,"longitude":117}]}}}"#,
            "a"),
        Row(
            #"{"at":{"$within":{"$box":[{"__type":"GeoPoint","latitude":-20,"longitude":170},{"__type":"GeoPoint","latitude":0,"longitude":-170}]}}}"#,
            "c"),
        // Other objects.
        Row(#"{"who":{"$inQuery":{"where":{"city":"alpha"},"className":"_User"}}}"#, "a"),
        Row(#"{"who":{"$inQuery":{"city":"omega"}}}"#, "b"),
        Row(#"{"who":{"$inQuery":{"className":"_User","limit":1}}}"#, "a"),
        Row(#"{"who":{"$notInQuery":{"where":{"city":"alpha"},"className":"_User"}}}"#, "b c d"),
        Row(#"{"s":{"$select":{"query":{"className":"_User","where":{}},"key":"city"}}}"#, "a"),
        Row(#"{"s":{"$select":{"query":{"className":"Nothing"},"key":"city"}}}"#, ""),
        Row(#"{"s":{"$dontSelect":{"query":{"className":"_User"},"key":"city"}}}"#, "b c d"),
    ])
    func notesFit(_ row: Row) async throws {
        #expect(try await Samples().names(in: "Note", where: row.condition) == row.names)
    }

    @Test(arguments: [
        Row(#"{"channels":"Mets"}"#, "i j"), Row(#"{"channels":"新闻"}"#, "k"), Row(#"{"channels":["Mets"]}"#, "j"),
        Row(#"{"channels":{"$in":["Giants","新闻"]}}"#, "i k"), Row(#"{"channels":{"$nin":["Giants"]}}"#, "j k"),
        Row(#"{"channels":{"$ne":"Mets"}}"#, "k"), Row(#"{"channels":{"$all":["Giants","Mets"]}}"#, "i"),
        Row(#"{"channels":{"$size":2}}"#, "i"), Row(#"{"channels":{"$regex":"\\QGia\\E"}}"#, "i"),
        Row(#"{"channels":{"$exists":false}}"#, ""),
        Row(#"{"deviceType":"ios"}"#, "i j"), Row(#"{"deviceType":{"$ne":"ios"}}"#, "k"),
        Row(#"{"deviceToken":"bb"}"#, "j"), Row(#"{"deviceToken":{"$in":["aa","zz"]}}"#, "i"),
        Row(#"{"deviceToken":null}"#, "k"), Row(#"{"installationId":{"$exists":true}}"#, "k"),
        Row(#"{"deviceToken":{"$nin":["aa"]}}"#, "j k"), Row(#"{"deviceToken":{"$gt":"aa"}}"#, "j"),
        Row(#"{"deviceProfile":"driver"}"#, "i"), Row(#"{"deviceProfile":{"$regex":"^p"}}"#, "k"),
        Row(#"{"valid":true}"#, "i k"), Row(#"{"valid":false}"#, "j"), Row(#"{"valid":{"$ne":true}}"#, "j"),
        Row(#"{"scores":true,"channels":"Giants"}"#, "i"), Row(#"{"scores":{"$exists":false}}"#, "k"),
        Row(
            #"{"owner":{"$inQuery":{"location":{"$nearSphere":{"__type":"GeoPoint","latitude":39.9869,"longitude":116.3059},"$maxDistanceInMiles":10.0}}}}"#,
            "i"),
        Row(
            #"{"deviceToken":{"$select":{"query":{"className":"_Installation","where":{"valid":false}},"key":"deviceToken"}}}"#,
            "j"),
    ])
    func devicesFit(_ row: Row) async throws {
        #expect(try await Samples().names(in: "_Installation", where: row.condition) == row.names)
    }

    @Test(arguments: [
        (#""$maxDistance":0.0003"#, "a b"), (#""$maxDistanceInRadians":0.0001"#, "a"),
        (#""$maxDistanceInKilometers":1.0"#, "a"), (#""$maxDistanceInKilometers":2.0"#, "a b"),
        (#""$maxDistanceInMiles":0.5"#, "a"), (#""$maxDistanceInMiles":1.5"#, "a b"),
        (#""$minDistance":0.0001"#, "b c"),
        (#""$maxDistance":4"#, "a b c"),
    ])
    func nearSphereKeepsToItsDistanceAndSortsByIt(distance: String, names: String) async throws {
        let condition =
            #"{"at":{"$nearSphere":{"__type":"GeoPoint","latitude":39.9869,"longitude":116.3059},"# + distance + "}}"
        #expect(try await Samples().names(in: "Note", where: condition) == names)
    }

    @Test func theNearestComesFirstUnlessAnOrderIsGiven() async throws {
        let samples = try await Samples()
        let near = #"{"at":{"$nearSphere":{"__type":"GeoPoint","latitude":40.1,"longitude":116.3}}}"#
        #expect(try await samples.names(in: "Note", where: near) == "b a c")
        #expect(try await samples.names(in: "Note", where: near, order: ["-name"]) == "c b a")
    }

    @Test(arguments: [
        (#"{"n":{"$foo":1}}"#, 102), (#"{"$foo":1}"#, 102), (#"{"n":{"$gt":1,"x":2}}"#, 102),
        (#"{"n":{"$in":1}}"#, 102),
        (#"{"n":{"$exists":1}}"#, 102), (#"{"n":{"$size":-1}}"#, 102), (#"{"s":{"$regex":"("}}"#, 102),
        (#"{"s":{"$regex":"a","$options":"q"}}"#, 102), (#"{"s":{"$options":"i"}}"#, 102),
        (#"{"at":{"$maxDistance":1}}"#, 102), (#"{"n":{"$gt":true}}"#, 102), (#"5"#, 102), (#"{"$or":{}}"#, 102),
        (#"{"createdAt":{"$gt":5}}"#, 102), (#"{"at":{"$within":{}}}"#, 102),
        (#"{"n\"":1}"#, 105), (#"{"n') OR 1=1 --":1}"#, 105), (#"{"":1}"#, 105), (#"{"a..b":1}"#, 105),
        (#"{"1a":1}"#, 105),
        (#"{"who":{"__type":"Pointer"}}"#, 106), (#"{"when":{"__type":"Date","iso":"x"}}"#, 111),
        (#"{"at":{"$nearSphere":{"__type":"GeoPoint","latitude":91,"longitude":0}}}"#, 302),
        (#"{"who":{"$inQuery":{"where":{},"className":"x; DROP"}}}"#, 103),
    ])
    func conditionsThatCannotBeReadAreRefused(condition: String, code: Int) async throws {
        let samples = try await Samples()
        let error = await #expect(throws: RegistryError.self) {
            try await samples.names(in: "Note", where: condition)
        }
        #expect(error?.code.rawValue == code)
    }

    @Test func aPatternOf257CharactersIsRefused() async throws {
        let samples = try await Samples()
        let pattern = String(repeating: "a", count: 257)
        await #expect(throws: RegistryError.self) {
            try await samples.names(in: "Note", where: #"{"s":{"$regex":"\#(pattern)"}}"#)
        }
    }

    @Test func nestingHasAnEnd() async throws {
        let samples = try await Samples()
        let deep = String(repeating: #"{"$and":["#, count: 100) + "{}" + String(repeating: "]}", count: 100)
        let error = await #expect(throws: RegistryError.self) { try await samples.names(in: "Note", where: deep) }
        #expect(error?.code == .invalidQuery)
    }

    @Test func hostileValuesAreOnlyValues() async throws {
        let samples = try await Samples()
        let hostile = #"'; DROP TABLE object; --"#
        #expect(try await samples.names(in: "Note", where: #"{"s":"\#(hostile)"}"#) == "")
        #expect(try await samples.names(in: "Note", where: #"{"s":{"$in":["\#(hostile)"]}}"#) == "")
        #expect(try await samples.names(in: "Note", where: #"{}"#) == "a b c d")
    }
}
