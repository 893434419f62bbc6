import Base
import Push
import Testing

@Suite struct ConditionNamesTests {
    @Test func fieldsAreThoseOfTheInstallationItself() {
        let names = ConditionNames([
            "scores": true, "deviceType": "ios", "home.city": "Hangzhou",
            "$and": [["level": ["$gt": 3]], ["channels": "news"]], "$or": [["age": 1], ["$and": [["b": 2]]]],
            "owner": ["$inQuery": ["className": "Team", "where": ["coach": "x"]]],
        ])
        #expect(names.fields == ["level", "age", "b", "home", "owner", "scores"])
        #expect(names.permissive == ["age", "b"])
    }

    @Test(
        arguments: [
            (["$ne": 1], true), (["$nin": [1]], true), (["$exists": false], true), (["$exists": true], false),
            (["$notInQuery": ["className": "T", "where": [:]]], true), (["$in": [1]], false), (1, false),
            (["$dontSelect": ["query": ["className": "T"], "key": "k"]], true),
            (["__type": "Date", "iso": "x"], false),
        ] as [(JSONValue, Bool)])
    func aTestThatLetsADeviceInThatLacksTheFieldIsKnown(test: JSONValue, isPermissive: Bool) {
        #expect(ConditionNames(["f": test]).permissive == (isPermissive ? ["f"] : []))
    }

    @Test func classesAreFoundAtAnyDepthAndEachOnce() {
        let inner: JSONValue = [
            "$inQuery": ["className": "Coach", "where": ["c": ["$inQuery": ["className": "City"]]]]
        ]
        let names = ConditionNames([
            "$or": [["a": inner], ["b": inner]],
            "d": ["$select": ["query": ["className": "Vip", "where": [:]], "key": "k"]],
            "e": ["$notInQuery": ["place": 1]],
        ])
        #expect(names.classes == ["Coach", "City", "Vip"])
    }
}
