import Base
import Testing

/// The cases of the public suite github.com/nst/JSONTestSuite: y_ must be accepted, n_ refused, i_ is for the reader to
/// decide, which is done here.
@Suite struct JSONSuiteTests {
    private func value(_ bytes: [UInt8]) -> JSONValue? { try? JSONValue(parsing: bytes) }

    @Test(arguments: Self.accepted)
    func whatIsJSONIsRead(text: String, expected: JSONValue) {
        #expect(value(Array(text.utf8)) == expected)
    }

    @Test(arguments: Self.refused)
    func whatIsNoJSONIsRefused(text: String) {
        #expect(value(Array(text.utf8)) == nil)
    }

    @Test(arguments: Self.refusedBytes)
    func whatIsNoTextIsRefused(bytes: [UInt8]) {
        #expect(value(bytes) == nil)
    }

    @Test(arguments: ["[", "[{\"\":", "{\"a\":"])
    func aHundredThousandOpenOnesAreRefused(open: String) {
        #expect(value(Array(String(repeating: open, count: 100_000).utf8)) == nil)
    }

    @Test func fiveHundredListsAreReadWhereTheyMayBe() throws {
        let text = String(repeating: "[", count: 500) + String(repeating: "]", count: 500)
        #expect(throws: JSONSyntaxError.self) { try JSONValue(parsing: text) }
        #expect(try JSONValue(parsing: text, limits: JSONLimits(depth: 500)).array?.count == 1)
    }

    private static let accepted: [(String, JSONValue)] = [
        // y_array
        ("[[]   ]", [[]]), ("[\"\"]", [""]), ("[]", []), ("[\"a\"]", ["a"]), ("[false]", [false]),
        ("[null, 1, \"1\", {}]", [nil, 1, "1", [:]]), ("[null]", [nil]), ("[1\n]", [1]), (" [1]", [1]),
        ("[1,null,null,null,2]", [1, nil, nil, nil, 2]), ("[2] ", [2]),
        // y_number
        ("[123e65]", [1.23e67]), ("[0e+1]", [0]), ("[0e1]", [0]), ("[ 4]", [4]),
        ("[-0.000000000000000000000000000000000000000000000000000000000000000000000000000001]", [-1e-78]),
        ("[20e1]", [200]), ("[-0]", [0]), ("[-123]", [-123]), ("[-1]", [-1]), ("[1E22]", [1e22]),
        ("[1E-2]", [0.01]), ("[1E+2]", [100]), ("[123e45]", [1.23e47]), ("[123.456e78]", [1.23456e80]),
        ("[1e-2]", [0.01]), ("[1e+2]", [100]), ("[123]", [123]), ("[123.456789]", [123.456789]),
        // y_object
        ("{\"asd\":\"sdf\", \"dfg\":\"fgh\"}", ["asd": "sdf", "dfg": "fgh"]), ("{\"asd\":\"sdf\"}", ["asd": "sdf"]),
        ("{\"a\":\"b\",\"a\":\"c\"}", ["a": "b"]), ("{\"a\":\"b\",\"a\":\"b\"}", ["a": "b"]), ("{}", [:]),
        ("{\"\":0}", ["": 0]), ("{\"foo\\u0000bar\": 42}", ["foo\0bar": 42]),
        ("{ \"min\": -1.0e+28, \"max\": 1.0e+28 }", ["min": -1e28, "max": 1e28]),
        (
            "{\"x\":[{\"id\": \"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx\"}], \"id\": \"xxxxxxxxxxxxxxxxxxxxxxxxxxxx\"}",
            ["x": [["id": "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"]], "id": "xxxxxxxxxxxxxxxxxxxxxxxxxxxx"]
        ),
        ("{\"a\":[]}", ["a": []]),
        ("{\"title\":\"\\u041f\\u043e\\u043b\\u0442\\u043e\\u0440\\u0430\"}", ["title": "Полтора"]),
        ("{\n\"a\": \"b\"\n}", ["a": "b"]),
        // y_string
        ("[\"\\u0060\\u012a\\u12AB\"]", ["\u{60}\u{12a}\u{12ab}"]), ("[\"\\uD801\\udc37\"]", ["\u{10437}"]),
        ("[\"\\ud83d\\ude39\\ud83d\\udc8d\"]", ["😹💍"]), ("[\"\\\"\\\\\\/\\b\\f\\n\\r\\t\"]", ["\"\\/\u{8}\u{c}\n\r\t"]),
        ("[\"\\\\u0000\"]", ["\\u0000"]), ("[\"\\\"\"]", ["\""]), ("[\"a/*b*/c/*d//e\"]", ["a/*b*/c/*d//e"]),
        ("[\"\\\\a\"]", ["\\a"]), ("[\"\\\\n\"]", ["\\n"]), ("[\"\\u0012\"]", ["\u{12}"]),
        ("[\"\\uFFFF\"]", ["\u{FFFF}"]),
        ("[\"asd\"]", ["asd"]), ("[ \"asd\"]", ["asd"]), ("[\"\\uDBFF\\uDFFF\"]", ["\u{10FFFF}"]),
        ("[\"new\\u00A0line\"]", ["new\u{A0}line"]), ("[\"\u{10FFFF}\"]", ["\u{10FFFF}"]),
        ("[\"\u{FFFF}\"]", ["\u{FFFF}"]),
        ("[\"\\u0000\"]", ["\0"]), ("[\"\\u002c\"]", [","]), ("[\"π\"]", ["π"]), ("[\"\u{1BFFF}\"]", ["\u{1BFFF}"]),
        ("[\"asd \"]", ["asd "]), ("\" \"", " "), ("[\"\\uD834\\uDd1e\"]", ["𝄞"]), ("[\"\\u0821\"]", ["\u{821}"]),
        ("[\"\\u0123\"]", ["\u{123}"]), ("[\"\u{2028}\"]", ["\u{2028}"]), ("[\"\u{2029}\"]", ["\u{2029}"]),
        ("[\"\\u0061\\u30af\\u30EA\\u30b9\"]", ["aクリス"]), ("[\"new\u{0B70}line\"]", ["new\u{0B70}line"]),
        ("[\"\u{7F}\"]", ["\u{7F}"]), ("[\"\\uA66D\"]", ["\u{A66D}"]), ("[\"\\u005C\"]", ["\\"]),
        ("[\"⍂㈴⍂\"]", ["⍂㈴⍂"]),
        ("[\"\\u0022\"]", ["\""]), ("[\"\\uDBFF\\uDFFE\"]", ["\u{10FFFE}"]), ("[\"\\uD83F\\uDFFE\"]", ["\u{1FFFE}"]),
        ("[\"\\u200B\"]", ["\u{200B}"]), ("[\"\\u2064\"]", ["\u{2064}"]),
        ("[\"\\uFDD0\"]", [.string(String(decoding: [0xFDD0 as UInt16], as: UTF16.self))]),
        ("[\"\\uFFFE\"]", ["\u{FFFE}"]), ("[\"€𝄞\"]", ["€𝄞"]), ("[\"a\u{7F}a\"]", ["a\u{7F}a"]),
        // y_structure
        ("false", false), ("42", 42), ("-0.1", -0.1), ("null", nil), ("\"asd\"", "asd"), ("true", true), ("\"\"", ""),
        ("[\"a\"]\n", ["a"]), ("[true]", [true]), (" [] ", []), ("\t[\r\n]", []),
        // i_: numbers that are no 64 bits become the nearest double, those that vanish become zero.
        ("[123.456e-789]", [0]), ("[123e-10000000]", [0]),
        (
            "[-237462374673276894279832749832423479823246327846]",
            [-237_462_374_673_276_894_279_832_749_832_423_479_823_246_327_846.0]
        ),
        ("[100000000000000000000]", [1e20]), ("[-123123123123123123123123123123]", [-1.2312312312312312e29]),
        ("\u{FEFF}{}", [:]),
    ]

    private static let refused: [String] = [
        // n_array
        "[1 true]", "[\"\": 1]", "[\"\"],", "[,1]", "[1,,2]", "[\"x\",,]", "[\"x\"]]", "[\"\",]", "[\"x\"", "[x",
        "[3[4]]",
        "[1:2]", "[,]", "[-]", "[   , \"\"]", "[\"a\",\n4\n,1,", "[1,]", "[\"\u{b}a\"\\f]", "[*]", "[\"\"", "[1,",
        "[1,\n1\n,1",
        "[{}",
        // n_incomplete
        "[fals]", "[nul]", "[tru]",
        // n_number
        "[++1234]", "[+1]", "[+Inf]", "[-01]", "[-1.0.]", "[-2.]", "[-NaN]", "[.-1]", "[.2e-3]", "[0.1.2]", "[0.3e+]",
        "[0.3e]", "[0.e1]", "[0E+]", "[0E]", "[0e+]", "[0e]", "[1.0e+]", "[1.0e-]", "[1.0e]", "[1 000.0]", "[1eE2]",
        "[2.e+3]",
        "[2.e-3]", "[2.e3]", "[9.e+]", "[Inf]", "[NaN]", "[\u{FF11}]", "[1+2]", "[0x1]", "[0x42]", "[Infinity]",
        "[0e+-1]",
        "[-123.123foo]", "[-Infinity]", "[-foo]", "[- 1]", "[-012]", "[-.123]", "[-1x]", "[1ea]", "[1.]", "[.123]",
        "[1.2a-3]", "[1.8011670033376514H-308]", "[012]", "[00]", "[-00]", "[00.0]", "[-00.0]", "[00e0]", "[-00e0]",
        "-", "1e",
        // n_object
        "[\"x\", truth]", "{[: \"x\"}\n", "{\"x\", null}", "{\"x\"::\"b\"}", "{🇨🇭}", "{\"a\":\"a\" 123}",
        "{key: 'value'}",
        "{\"a\" b}", "{:\"b\"}", "{\"a\" \"b\"}", "{\"a\":", "{\"a\"", "{1:1}", "{9999E9999:1}",
        "{null:null,null:null}",
        "{\"id\":0,,,,,}", "{'a':0}", "{\"id\":0,}", "{\"a\":\"b\"}/**/", "{\"a\":\"b\"}/**//", "{\"a\":\"b\"}//",
        "{\"a\":\"b\"}/", "{\"a\":\"b\",,\"c\":\"d\"}", "{a: \"b\"}", "{\"a\":\"a", "{ \"foo\" : \"bar\", \"a\" }",
        "{\"a\":\"b\"}#",
        // n_single, n_string
        " ", "[\"\\uD800\\\"]", "[\"\\uD800\\u\"]", "[\"\\uD800\\u1\"]", "[\"\\uD800\\u1x\"]", "[é]", "[\"\\\u{0}\"]",
        "[\"\\x00\"]", "[\"\\\\\\\"]", "[\"\\\t\"]", "[\"\\🌀\"]", "[\"\\\"]", "[\"\\u00A\"]", "[\"\\uD834\\uDd\"]",
        "[\"\\uD800\\uD800\\x\"]", "[\"\\a\"]", "[\"\\uqqqq\"]", "[\\u0020\"asd\"]", "[\\n]", "\"", "['single quote']",
        "abc",
        "[\"\\", "[\"a\u{0}a\"]", "[\"new\nline\"]", "[\"\t\"]", "\"\\UA66D\"", "\"\"x", "[\"\\u\u{1}00\"]",
        "[\"\\012\"]",
        // n_structure
        "[\u{2060}]", "<.>", "[<null>]", "[1]x", "[1]]", "[\"asd]", "aå", "[True]", "1]", "{\"x\": true,", "[][]", "]",
        "{\"\":", "{]", "", "[", "[\u{0}]", "2@", "{}}", "{\"a\"", "[a", "{\"asd\":\"asd\"", "å",
        "[1,\"\u{0}", "*", "{\"a\":\"b\"}#{}", "[\u{2060}1]", "[\\u000A\"\"]", "[\"asd\"", "[1", "[ false, nul",
        "[ true, fals",
        "[ false, tru", "{\"a\":true} \"x\"", "[,", "[\"a", "[{", "{\"", "{,", "{[", "{\"a", "{'a'", "{\"\\",
        "[\"\\{[\"\\{[\"\\{[\"\\{",
        "\u{e9}", "[\u{c}]", "[\u{85}1]", "[\u{a0}1]", "\u{0}", "nulll", "truefalse", "null null", "[1}", "{\"a\":1]",
        "[nullx]",
        // i_: half of a surrogate pair is no character, a number beyond all doubles none that could be kept.
        "[\"\\uDADA\"]", "[\"\\uD888\\u1234\"]", "[\"\\uD800\\n\"]", "[\"\\uDd1ea\"]", "[\"\\uD800\\uD800\\n\"]",
        "[\"\\ud800\"]", "[\"\\ud800abc\"]", "[\"\\uDd1e\\uD834\"]", "[\"\\uDFAA\"]", "{\"\\uDFAA\":0}",
        "[0.4e00669999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999969999999006]",
        "[-1e+9999]", "[1.5e+9999]", "[-123123e100000]", "[123123e100000]",
    ]

    private static let refusedBytes: [[UInt8]] = [
        // n_
        [0x5B, 0xFF, 0x5D], [0x5B, 0x61, 0xE5, 0x5D], [0x5B, 0x31, 0xE5, 0x5D], [0x5B, 0x31, 0x65, 0x31, 0xE5, 0x5D],
        [0x5B, 0x30, 0xE5, 0x5D], [0x5B, 0x2D, 0x31, 0x32, 0x33, 0xE5, 0x5D],
        Array("[\"\\u".utf8) + [0xE5] + Array("\"]".utf8),
        Array("[\"\\".utf8) + [0xE5] + Array("\"]".utf8), [0xEF, 0xBB, 0x7B, 0x7D], [0xE5], [0xEF, 0xBB, 0xBF],
        Array("{\"".utf8) + [0xB9] + Array("\":\"0\",}".utf8),
        // i_: other encodings, overlong forms, halves of pairs, what ends too early.
        [0xFF, 0xFE, 0x5B, 0x00, 0x5D, 0x00], [0xFE, 0xFF, 0x00, 0x5B, 0x00, 0x5D],
        [0x5B, 0x00, 0x22, 0x00, 0xE9, 0x00, 0x22, 0x00, 0x5D, 0x00],
        [0x5B, 0x22, 0xFF, 0x22, 0x5D], [0x5B, 0x22, 0xE6, 0x97, 0xA5, 0xD1, 0x88, 0xFA, 0x22, 0x5D],
        [0x5B, 0x22, 0xED, 0xA0, 0x80, 0x22, 0x5D],
        [0x5B, 0x22, 0xF4, 0xBF, 0xBF, 0xBF, 0x22, 0x5D], [0x5B, 0x22, 0x81, 0x22, 0x5D],
        [0x5B, 0x22, 0xC0, 0xAF, 0x22, 0x5D],
        [0x5B, 0x22, 0xFC, 0x83, 0xBF, 0xBF, 0xBF, 0xBF, 0x22, 0x5D], [0x5B, 0x22, 0xE0, 0xFF, 0x22, 0x5D],
        [0x5B, 0x22, 0xE9, 0x22, 0x5D],
        [0x5B, 0x22, 0xE5, 0x8F, 0x22, 0x5D], Array("[\"\\n".utf8) + [0xC3, 0x22, 0x5D],
        Array("{\"".utf8) + [0xFF] + Array("\":0}".utf8),
    ]
}
