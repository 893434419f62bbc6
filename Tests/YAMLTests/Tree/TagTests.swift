import Base
import Testing
import YAML

@Suite struct TagTests {
    @Test(
        arguments: [
            ("!!str 1", .string("1")), ("!!str", .string("")), ("!!str true", .string("true")), ("! 12", .string("12")),
            ("! ~", .string("~")), ("!!int \"3\"", .integer(3)), ("!!int 0x1f", .integer(31)), ("!!float 3", .float(3)),
            ("!!float '1.5'", .float(1.5)), ("!!bool \"true\"", .bool(true)), ("!!null ''", .null), ("!!null", .null),
            ("!!str .inf", .string(".inf")), ("!<tag:yaml.org,2002:str> 5", .string("5")),
            ("%TAG !y! tag:yaml.org,2002:\n---\n!y!str 5", .string("5")),
            ("!!int 99999999999999999999", .hugeInteger("99999999999999999999")),
        ] as [(String, Scalar)])
    func coreTagsAreApplied(_ text: String, _ value: Scalar) throws {
        #expect(try scalar(text) == value)
    }

    @Test(arguments: ["!!seq [1]", "! [1]", "!!seq\n- 1", "&a !!seq [1]", "!!seq &a\n- 1"])
    func sequencesMayBeTagged(_ text: String) throws {
        #expect(try root(text)[0]?.scalar == .integer(1))
    }

    @Test(arguments: ["!!map {a: 1}", "! {a: 1}", "!!map\na: 1", "&a !!map\na: 1"])
    func mappingsMayBeTagged(_ text: String) throws {
        #expect(try root(text)["a"]?.scalar == .integer(1))
    }

    @Test(arguments: [
        ("a: !!int abc", "1:4 unknown-tag tag '!!int' does not fit 'abc'"),
        ("a: !!int 1.5", "1:4 unknown-tag tag '!!int' does not fit '1.5'"),
        ("a: !!bool yes", "1:4 unknown-tag tag '!!bool' does not fit 'yes'"),
        ("a: !!null 0", "1:4 unknown-tag tag '!!null' does not fit '0'"),
        ("a: !!float 0x1f", "1:4 unknown-tag tag '!!float' does not fit '0x1f'"),
        ("a: !!float x", "1:4 unknown-tag tag '!!float' does not fit 'x'"),
        ("a: !!seq x", "1:4 unknown-tag tag '!!seq' does not fit a scalar"),
        ("a: !!map", "1:4 unknown-tag tag '!!map' does not fit a scalar"),
        ("a: !!map [1]", "1:4 unknown-tag tag '!!map' does not fit a sequence"),
        ("a: !!str {b: 1}", "1:4 unknown-tag tag '!!str' does not fit a mapping"),
        ("a: !!float .nan", "1:12 not-a-number '.nan' is not a finite number"),
    ])
    func aCoreTagThatDoesNotFitIsReported(_ text: String, _ fault: String) {
        let (documents, faults) = read(text)
        #expect(faults == [fault])
        #expect(documents.count == 1)
    }

    @Test(arguments: [
        ("a: !secret x", "1:4 unknown-tag unknown tag '!secret'"),
        ("a: &b !secret x", "1:7 unknown-tag unknown tag '!secret'"),
        ("a: !secret &b x", "1:4 unknown-tag unknown tag '!secret'"),
        ("a: !!binary aGk=", "1:4 unknown-tag unknown tag '!!binary'"),
        ("a: !!timestamp 2026-01-01", "1:4 unknown-tag unknown tag '!!timestamp'"),
        ("a: !!set {b}", "1:4 unknown-tag unknown tag '!!set'"),
        ("漢字: &b\n  # why\n  !x\n  c: 1", "3:3 unknown-tag unknown tag '!x'"),
        ("!x a: 1", "1:1 unknown-tag unknown tag '!x'"),
        ("a: !%1B%5B x", "1:4 unknown-tag unknown tag '!\\u001B['"),
        ("a: !<tag:example.com,2000:x> x", "1:4 unknown-tag unknown tag 'tag:example.com,2000:x'"),
    ])
    func otherTagsAreReportedWhereTheyStand(_ text: String, _ fault: String) {
        #expect(read(text).faults == [fault])
    }

    @Test func aValueWithAnUnknownTagIsInvalid() throws {
        let (documents, faults) = read("a: !x 1\nb: !y 2\n")
        #expect(faults == ["1:4 unknown-tag unknown tag '!x'", "2:4 unknown-tag unknown tag '!y'"])
        #expect(documents.first?.root["a"]?.scalar == .invalid)
    }

    @Test func theRangeOfATagIsTheTag() {
        let result = DocumentParser.parse(Array("a: &b  !secret  x".utf8), file: "a")
        #expect(result.diagnostics.first?.range?.end.column == 15)
    }
}
