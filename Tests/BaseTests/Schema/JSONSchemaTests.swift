import Base
import BaseTesting
import Testing

/// The checker itself: each keyword accepts what it must and rejects what it must.
@Suite struct JSONSchemaTests {
    @Test(
        arguments: [
            (#"{"type": "integer"}"#, ["1", "1.0", "-3"], ["1.5", "\"1\"", "null", "true"]),
            (#"{"type": ["string", "null"]}"#, ["\"\"", "null"], ["1", "[]", "{}"]),
            (#"{"type": "number"}"#, ["1", "1.5"], ["\"1\""]),
            (#"{"enum": ["a", 1, null]}"#, ["\"a\"", "1", "1.0", "null"], ["\"b\"", "2", "false"]),
            (#"{"const": {"a": [1]}}"#, [#"{"a": [1]}"#], [#"{"a": [2]}"#, "1"]),
            (#"{"required": ["a"]}"#, [#"{"a": null}"#, "1"], ["{}"]),
            (
                #"{"properties": {"a": {"type": "string"}}, "additionalProperties": false}"#,
                ["{}", #"{"a": ""}"#], [#"{"a": 1}"#, #"{"b": 1}"#]
            ),
            (
                #"{"properties": {"a": true}, "additionalProperties": {"type": "integer"}}"#,
                [#"{"a": "", "b": 1}"#], [#"{"b": ""}"#]
            ),
            (
                #"{"patternProperties": {"^x-": {"type": "string"}}, "additionalProperties": false}"#,
                [#"{"x-a": ""}"#], [#"{"x-a": 1}"#, #"{"ax-": ""}"#]
            ),
            (#"{"propertyNames": {"maxLength": 1}}"#, [#"{"a": 1}"#, "{}"], [#"{"ab": 1}"#]),
            (#"{"dependentRequired": {"a": ["b"]}}"#, ["{}", #"{"a": 1, "b": 1}"#], [#"{"a": 1}"#]),
            (#"{"minProperties": 1, "maxProperties": 1}"#, [#"{"a": 1}"#], ["{}", #"{"a": 1, "b": 1}"#]),
            (#"{"items": {"type": "integer"}}"#, ["[]", "[1, 2]", "1"], ["[1, \"\"]"]),
            (
                #"{"prefixItems": [{"type": "string"}], "items": {"type": "integer"}}"#, ["[\"\", 1]", "[]"],
                ["[1]", "[\"\", \"\"]"]
            ),
            (#"{"minItems": 1, "maxItems": 2}"#, ["[1]", "[1, 2]"], ["[]", "[1, 2, 3]"]),
            (#"{"uniqueItems": true}"#, ["[1, 2]", "[]"], ["[1, 1.0]"]),
            (#"{"minLength": 1, "maxLength": 2}"#, ["\"日本\"", "1"], ["\"\"", "\"abc\""]),
            (#"{"minimum": 1, "maximum": 2}"#, ["1", "2", "\"\""], ["0", "2.5"]),
            (#"{"exclusiveMinimum": 1, "exclusiveMaximum": 2}"#, ["1.5"], ["1", "2"]),
            (#"{"multipleOf": 2}"#, ["4"], ["3"]),
            (#"{"pattern": "b+"}"#, ["\"abc\"", "1"], ["\"ac\""]),
            (#"{"pattern": "^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$"}"#, ["\"a-b\""], ["\"a-\"", "\"A\"", "\"a\\n\""]),
            (#"{"pattern": "^\\d$"}"#, ["\"1\""], ["\"١\""]),
            (#"{"allOf": [{"minimum": 1}, {"maximum": 2}]}"#, ["1"], ["0", "3"]),
            (#"{"anyOf": [{"type": "string"}, {"minimum": 3}]}"#, ["\"\"", "3"], ["2"]),
            (#"{"oneOf": [{"minimum": 1}, {"minimum": 3}]}"#, ["1"], ["0", "3"]),
            (#"{"not": {"required": ["a"]}}"#, ["{}"], [#"{"a": 1}"#]),
            (
                #"{"if": {"required": ["a"]}, "then": {"required": ["b"]}, "else": {"required": ["c"]}}"#,
                [#"{"a": 1, "b": 1}"#, #"{"c": 1}"#], [#"{"a": 1}"#, "{}"]
            ),
            (
                ##"{"$ref": "#/$defs/x~1y", "$defs": {"x/y": {"type": "integer"}}}"##, ["1"], ["\"\""]
            ),
            (
                ##"{"type": "object", "properties": {"next": {"$ref": "#"}}, "additionalProperties": false}"##,
                [#"{"next": {"next": {}}}"#], [#"{"next": {"next": 1}}"#, #"{"next": {"nxt": {}}}"#]
            ),
            ("true", ["1", "null"], []), ("false", [], ["1", "null"]),
            (#"{"title": "t", "default": 1, "format": "date-time"}"#, ["\"no date\""], []),
        ] as [(String, [String], [String])])
    func aKeywordAcceptsAndRejects(_ schema: String, _ valid: [String], _ invalid: [String]) throws {
        let schema = try JSONSchema(JSONValue(parsing: schema))
        for text in valid { #expect(schema.violations(of: try JSONValue(parsing: text)) == [], "\(text)") }
        for text in invalid { #expect(!schema.accepts(try JSONValue(parsing: text)), "\(text)") }
    }

    @Test(
        arguments: [
            (#"{"requird": ["a"]}"#, "# has the unknown keyword 'requird'"),
            (
                #"{"properties": {"a": {"typ": "string"}}}"#, "#/properties/a has the unknown keyword 'typ'"
            ),
            (#"{"type": "strnig"}"#, "#/type has a value of the wrong kind"),
            (#"{"minItems": -1}"#, "#/minItems has a value of the wrong kind"),
            (#"{"items": 3}"#, "#/items has a value of the wrong kind"),
            (##"{"$ref": "#/$defs/gone"}"##, "#/$ref leads nowhere: '#/$defs/gone'"),
            (#"{"$ref": "https://example.com/x"}"#, "#/$ref leads nowhere: 'https://example.com/x'"),
            (#"{"pattern": "("}"#, "#/pattern is no pattern: '('"),
            ("3", "# is no schema"),
        ])
    func aFaultySchemaIsRefused(_ schema: String, _ message: String) throws {
        let document = try JSONValue(parsing: schema)
        let fault = #expect(throws: SchemaFault.self) { _ = try JSONSchema(document) }
        #expect(fault?.description == message)
    }

    @Test func aViolationSaysWhereAndWhat() throws {
        let schema = try JSONSchema(
            JSONValue(parsing: #"{"properties": {"a/b": {"items": {"enum": ["x", "y"]}}}}"#))
        let violations = schema.violations(of: try JSONValue(parsing: #"{"a/b": ["x", "z"]}"#))
        #expect(violations.map(\.description) == [#"/a~1b/1: enum: "z" against ["x","y"]"#])
    }

    @Test func theBestAlternativeExplainsItself() throws {
        let schema = try JSONSchema(
            JSONValue(
                parsing: #"{"oneOf": [{"required": ["a", "b", "c"]}, {"properties": {"d": {"type": "null"}}}]}"#))
        let violations = schema.violations(of: try JSONValue(parsing: #"{"d": 1}"#))
        #expect(violations.map(\.keyword) == ["oneOf", "type"])
    }

    @Test func aSchemaThatGoesRoundInACircleEnds() throws {
        let schema = try JSONSchema(JSONValue(parsing: ##"{"$ref": "#"}"##))
        #expect(!schema.accepts(1))
    }
}
