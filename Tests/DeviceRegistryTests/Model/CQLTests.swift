import Base
import Push
import Testing

@testable import DeviceRegistry

/// Texts in CQL and what they mean, after docs/background/leancloud/objects.md#cql.
@Suite struct CQLTests {
    private static let start = "select * from _Installation where "

    private static func query(_ text: String, _ values: [JSONValue] = []) throws -> CQLQuery {
        try CQLQuery(text, values: values, at: Instant(milliseconds: 1_795_262_400_000))
    }

    struct Row: CustomTestStringConvertible {
        let text: String
        let condition: String
        let values: [JSONValue]

        init(_ text: String, _ condition: String, _ values: JSONValue...) {
            self.text = text
            self.condition = condition
            self.values = values
        }

        var testDescription: String { text }
    }

    private static let rows = [
        Row("n = 1", #"{"n":1}"#), Row("n=-1.5e2", #"{"n":-150.0}"#), Row("n = +3", #"{"n":3}"#),
        Row("n != 1", #"{"n":{"$ne":1}}"#), Row("n <> 1", #"{"n":{"$ne":1}}"#), Row("n<1", #"{"n":{"$lt":1}}"#),
        Row("n <= 1", #"{"n":{"$lte":1}}"#), Row("n > 1", #"{"n":{"$gt":1}}"#), Row("n>=1", #"{"n":{"$gte":1}}"#),
        Row("s = 'a'", #"{"s":"a"}"#), Row(#"s = "a""#, #"{"s":"a"}"#), Row("s = ''", #"{"s":""}"#),
        Row("s = 'it''s'", #"{"s":"it's"}"#), Row(#"s = 'it\'s \"\\'"#, #"{"s":"it's \"\\"}"#),
        Row(#"s = "a""b""#, #"{"s":"a\"b"}"#), Row("s = '新闻 or n = 1'", #"{"s":"新闻 or n = 1"}"#),
        Row("b = true", #"{"b":true}"#), Row("b != FALSE", #"{"b":{"$ne":false}}"#), Row("x = null", #"{"x":null}"#),
        Row("x is null", #"{"x":null}"#), Row("x is not null", #"{"x":{"$ne":null}}"#),
        Row("x is exists", #"{"x":{"$exists":true}}"#), Row("x IS NOT EXISTS", #"{"x":{"$exists":false}}"#),
        Row("deep.k = 1", #"{"deep.k":1}"#), Row("n in (1,2)", #"{"n":{"$in":[1,2]}}"#),
        Row("s not in ('a')", #"{"s":{"$nin":["a"]}}"#), Row("size(l) = 2", #"{"l":{"$size":2}}"#),
        Row("s like 'a%'", #"{"s":{"$regex":"^\\Qa\\E.*","$options":"s"}}"#),
        Row("s like '%a'", #"{"s":{"$regex":".*\\Qa\\E\\z","$options":"s"}}"#),
        Row("s like '%a.b%'", #"{"s":{"$regex":".*\\Qa.b\\E.*","$options":"s"}}"#),
        Row("s like 'a%b'", #"{"s":{"$regex":"^\\Qa\\E.*\\Qb\\E\\z","$options":"s"}}"#),
        Row("s like '%'", #"{"s":{"$regex":".*","$options":"s"}}"#), Row("s like 'a'", #"{"s":"a"}"#),
        Row(
            "createdAt < date('2011-08-20T02:06:57.931Z')",
            #"{"createdAt":{"$lt":{"__type":"Date","iso":"2011-08-20T02:06:57.931Z"}}}"#),
        Row(
            "updatedAt < current_timestamp()",
            #"{"updatedAt":{"$lt":{"__type":"Date","iso":"2026-11-21T12:00:00.000Z"}}}"#),
        Row(
            "owner = pointer('_User', 'u1')",
            #"{"owner":{"__type":"Pointer","className":"_User","objectId":"u1"}}"#),
        Row("a = 1 and b = 2", #"{"a":1,"b":2}"#),
        Row("a > 1 and a < 3", #"{"$and":[{"a":{"$gt":1}},{"a":{"$lt":3}}]}"#),
        Row("a = 1 or b = 2", #"{"$or":[{"a":1},{"b":2}]}"#),
        Row("a = 1 and b = 2 or c = 3", #"{"$or":[{"a":1,"b":2},{"c":3}]}"#),
        Row("a = 1 and (b = 2 or c = 3)", #"{"a":1,"$or":[{"b":2},{"c":3}]}"#),
        Row(
            "(a = 1 or b = 2) and (c = 3 or d = 4)",
            #"{"$and":[{"$or":[{"a":1},{"b":2}]},{"$or":[{"c":3},{"d":4}]}]}"#),
        Row("((a = 1))", #"{"a":1}"#), Row("a=1\tAND\nb=2 ;", #"{"a":1,"b":2}"#),
        Row("a = ? and b in (?, 3)", #"{"a":"x'","b":{"$in":[2,3]}}"#, "x'", 2),
        Row(
            "d > ?", #"{"d":{"$gt":{"__type":"Date","iso":"2020-01-01T00:00:00.000Z"}}}"#,
            ["__type": "Date", "iso": "2020-01-01T00:00:00.000Z"]),
    ]

    @Test(arguments: rows)
    func aConditionMeansAWhere(row: Row) throws {
        let query = try Self.query(Self.start + row.text, row.values)
        #expect(query.condition == (try JSONValue(parsing: row.condition)))
        #expect(try query.audience() == query.condition)
    }

    @Test func aConditionIsOneThatTheRegistryTakes() throws {
        for row in Self.rows {
            var translator = ConditionTranslator(className: .installation, access: .master)
            _ = try translator.plan(try Self.query(Self.start + row.text, row.values).condition)
        }
    }

    @Test func theRestOfASelectIsRead() throws {
        let plain = try Self.query("SELECT * FROM Note")
        #expect(plain.className == "Note" && plain.condition == [:] && plain.keys == [] && plain.order == [])
        #expect(plain.limit == nil && plain.skip == 0)
        let page = try Self.query("select name, n from Note where n > 1 limit 100,10 order by n,+name,-deep.k desc")
        #expect(page.keys == ["name", "n"] && page.skip == 100 && page.limit == 10)
        #expect(page.order == ["-n", "name", "-deep.k"])
        // SQL has the limit last.
        let other = try Self.query("select name,* from Note order by -n, name asc limit ?,?", [5, 7])
        #expect(other.keys == [] && other.skip == 5 && other.limit == 7 && other.order == ["-n", "name"])
    }

    @Test func aPushTakesWhatReachesEveryDeviceThatFits() throws {
        #expect(try Self.query("select * from _Installation order by n").audience() == [:])
        for text in ["select * from _User where n = 1", "select * from _Installation limit 10"] {
            #expect(throws: RegistryError.self) { _ = try Self.query(text).audience() }
        }
    }

    private static let refused = [
        "", ";", "select", "select *", "select * from", "select * from a.b c", "select from Note",
        "insert into Note(n) values (1)", "update Note set n=1 where objectId='x'",
        "delete from Note where objectId='x'",
        "select count(*) from Note", "select include post, * from Note", "select * from Note group by n",
        "select * from Note where", "select * from Note limit", "select * from Note limit -1",
        "select * from Note limit 1.5", "select * from Note limit 'a'", "select * from Note limit 1,2,3",
        "select * from Note limit 1 limit 2", "select * from Note order by", "select * from Note order by n desc, m",
        "select * from Note where n = 1 where n = 2", "select * from Note -- n",
        "select * from Note; select * from Note",
    ]

    private static let refusedConditions = [
        "n", "n =", "= 1", "1 = n", "n == 1", "n = 1 and", "or n = 1", "n = 1 n = 2", "n = 1,", "(n = 1", "n = 1)",
        "()",
        "not n = 1", "not (n = 1)", "n not 1", "n not like 'a'", "n regexp 'a.*'", "n not regexp 'a'", "n is 1",
        "n is not 1", "n between 1 and 2", "n in 1", "n in ()", "n in (1", "n in (1,)", "n in (select n from Note)",
        "n = (select n from Note)", "l all (1,2)", "at near [1,2]", "at near geopoint(1,2)",
        "at within [1,2] and [3,4]",
        "related likes to pointer('Post','x')", "size(l) > 2", "size(l)", "n = {a:1}", "n = abc", "n = file('x')",
        "n = geopoint(1,2)", "n = date('yesterday')", "n = date(1)", "n = pointer('Post')", "n = op('Increment')",
        "n = 01", "n = 1x", "n = 1e999", "n = 1--1", "n = .5", "n = 'a", "n = \"a", "n = 'a\\", #"n = 'a\n'"#,
        "n = `a`",
        "n like 1", "n like 'a_'", "n like '%[(]%'", "n like 'a*'", #"n like 'a\\%'"#, "n = ?", "n = 'a' 'b'",
        "$or = 1",
        "n.$gt = 1", "n # 1", "n = 1 and é = 2", "select = 1", "n = @a",
    ]

    @Test(arguments: refused + refusedConditions.map { start + $0 })
    func whatIsNotUnderstoodIsRefused(text: String) throws {
        let error = #expect(throws: RegistryError.self) { _ = try Self.query(text) }
        #expect(error?.code == .invalidCQL)
        #expect(error?.description.contains("where") == true)
    }

    @Test func valuesAreCountedAndBringNoOperator() {
        for (text, values) in [
            ("n = ?", []), ("n = ?", [1, 2]), ("n = 1", [1]), ("n = ?", [["$ne": 1]]), ("n in (?)", [["$gt": 0]]),
        ] as [(String, [JSONValue])] {
            #expect(throws: RegistryError.self) { _ = try Self.query(Self.start + text, values) }
        }
    }

    /// Texts of hostile shape; of a megabyte and more nothing is read, of 4 kB each byte once.
    @Test(arguments: [1000, 2000, 4000, 1 << 20])
    func aHostileTextIsRefusedAtOnce(size: Int) {
        for part in [
            "(", ")", "'", "''", "\\", "n = 1 and ", "n in (", "not ", "?", "9", "a", ".", "%", "é", "\u{0}", " ",
        ] {
            let text = Self.start + String(repeating: part, count: size / part.utf8.count)
            #expect(throws: RegistryError.self) { _ = try Self.query(text) }
        }
    }

    @Test func bracketsAndListsAreBounded() throws {
        func nested(_ depth: Int) -> String {
            Self.start + String(repeating: "(", count: depth) + "n = 1" + String(repeating: ")", count: depth)
        }
        #expect(try Self.query(nested(16)).condition == ["n": 1])
        #expect(throws: RegistryError.self) { _ = try Self.query(nested(17)) }
        // A function within a function is none that is understood, which is said before the stack ends.
        let calls = Self.start + "s = " + String(repeating: "date(", count: 700)
        let error = #expect(throws: RegistryError.self) { _ = try Self.query(calls) }
        #expect(error?.description.contains("Brackets nest 16 deep at most") == true)
        let most = CQLQuery.mostBytes - (Self.start + "s = ''").utf8.count
        #expect(
            try Self.query(Self.start + "s = '\(String(repeating: "x", count: most))'").className == "_Installation")
        #expect(throws: RegistryError.self) {
            _ = try Self.query(Self.start + "s = '\(String(repeating: "x", count: most + 1))'")
        }
    }
}
