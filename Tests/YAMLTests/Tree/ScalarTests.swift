import Testing
import YAML

@Suite struct ScalarTests {
    @Test(arguments: ["null", "Null", "NULL", "~"])
    func theCoreNullsAreNull(_ text: String) throws {
        #expect(try scalar(text) == .null)
    }

    @Test func aValueThatIsNotWrittenIsNull() throws {
        #expect(try root("a:")["a"]?.scalar == .null)
        #expect(try root("{a: , b}")["b"]?.scalar == .null)
        #expect(try root("- \n- 1")[0]?.scalar == .null)
    }

    @Test(arguments: [
        ("true", true), ("True", true), ("TRUE", true), ("false", false), ("False", false), ("FALSE", false),
    ])
    func onlyTrueAndFalseAreBooleans(_ text: String, _ value: Bool) throws {
        #expect(try scalar(text) == .bool(value))
    }

    @Test(
        arguments: [
            ("0", 0), ("-0", 0), ("10", 10), ("010", 10), ("-12", -12), ("+7", 7), ("0o17", 15), ("0x1f", 31),
            ("0x1F", 31),
            ("9223372036854775807", .max), ("-9223372036854775808", .min), ("0x7fffffffffffffff", .max),
            ("000000000000000000000000000012", 12), ("0o0", 0),
        ] as [(String, Int64)])
    func integersAreThoseOfTheCoreSchema(_ text: String, _ value: Int64) throws {
        #expect(try scalar(text) == .integer(value))
    }

    @Test(arguments: [
        "9223372036854775808", "-9223372036854775809", "0xffffffffffffffff", "99999999999999999999999",
        "0x10000000000000000",
    ])
    func anIntegerBeyond64BitsKeepsItsText(_ text: String) throws {
        #expect(try scalar(text) == .hugeInteger(text))
        #expect(try root(text).typeDescription == "an integer")
    }

    @Test(arguments: [
        ("1.5", 1.5), ("-1.5", -1.5), (".5", 0.5), ("+.5", 0.5), ("1.", 1), ("1e3", 1000), ("1E+3", 1000),
        ("1.e3", 1000),
        ("12.5e-1", 1.25), ("-0.0", 0), ("007.5", 7.5),
    ])
    func floatsAreThoseOfTheCoreSchema(_ text: String, _ value: Double) throws {
        #expect(try scalar(text) == .float(value))
    }

    @Test(arguments: [
        "yes", "no", "on", "off", "NO", "Yes", "y", "n", "tRUE", "nUll", "nil", "1_000", "0b1", "0o8", "0x", "0xg",
        "0o",
        "-0x1f", "+0o7", "1e", "1e+", ".", "..", "-.", "+", "-x", "1.2.3", "22:00", "08:00", "30d", "1h",
        "2026-11-27T20:00:00+08:00", "2026-11-27", ".info", "infinity", "nan", "inf", "１２", "~x", "12a", ".5.", "1.5f",
        "-.nan", "0X1F", "e3",
    ])
    func everythingElseIsAString(_ text: String) throws {
        #expect(try scalar(text) == .string(text))
    }

    @Test(arguments: ["true", "null", "~", "12", "0x1f", "1.5", ".inf", ".nan", ""])
    func quotedAndBlockScalarsAreStrings(_ text: String) throws {
        #expect(try scalar("\"\(text)\"") == .string(text))
        #expect(try scalar("'\(text)'") == .string(text))
        #expect(try scalar("|-\n  \(text)") == .string(text))
        #expect(try scalar(">-\n  \(text)") == .string(text))
    }

    @Test(arguments: [".inf", ".Inf", ".INF", "-.inf", "+.INF", ".nan", ".NaN", ".NAN", "1e999", "-1.5e4000"])
    func numbersThatAreNotFiniteAreReported(_ text: String) throws {
        let (documents, faults) = read("a:\n  b: \(text)\n")
        #expect(faults == ["2:6 not-a-number '\(text)' is not a finite number"])
        let node = try #require(documents.first?.root["a"]?["b"])
        #expect(node.scalar == .invalid)
        #expect(node.isInvalid)
    }

    @Test func allOfThemAreReported() {
        #expect(
            read("- .inf\n- ok\n- .nan\n- .inf: 1\n").faults == [
                "1:3 not-a-number '.inf' is not a finite number", "3:3 not-a-number '.nan' is not a finite number",
            ])
    }

    @Test func escapesAreResolved() throws {
        #expect(try scalar(#""\u6F22\U0001F600\N\L\P\x41\0\t""#) == .string("漢😀\u{85}\u{2028}\u{2029}A\0\t"))
        #expect(try scalar("'it''s'") == .string("it's"))
        #expect(try scalar("\"a\n\n  b\"") == .string("a\nb"))
    }

    @Test func aTextCanBeComparedWithoutAString() throws {
        let node = try root("kind: Campaign\nlist: []\n")
        #expect(node["kind"]?.hasText("Campaign") == true)
        #expect(node["kind"]?.hasText("Campaigns") == false)
        #expect(node["kind"]?.hasText("campaign") == false)
        #expect(node["list"]?.hasText("") == false)
        #expect(node["list"]?.text == nil)
        #expect(node["list"]?.scalar == nil)
    }

    @Test func onlyStringsAreStrings() throws {
        #expect(try root("12").string == nil)
        #expect(try root("12").text == "12")
        #expect(try root("'12'").string == "12")
        #expect(try root("[]").string == nil)
    }

    @Test(arguments: [
        ("{}", "a mapping"), ("[]", "a sequence"), ("x", "a string"), ("1", "an integer"), ("1.5", "a number"),
        ("true", "a boolean"), ("~", "null"),
    ])
    func typesHaveWords(_ text: String, _ words: String) throws {
        #expect(try root(text).typeDescription == words)
    }
}
