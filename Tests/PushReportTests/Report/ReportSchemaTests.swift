internal import Base
internal import BaseTesting
internal import FoundationEssentials
internal import Push
internal import PushReport
internal import Testing

/// What bugle writes for programs, held against the schemas that it publishes.
@Suite struct ReportSchemaTests {
    private static func schema(_ schema: ReportSchema) throws -> JSONSchema { try JSONSchema(schema.json.unordered) }

    /// The schema without room for members that it does not name, so that none is written that it forgets.
    private static func strictSchema(_ schema: ReportSchema) throws -> JSONSchema {
        try JSONSchema(closed(schema.json.unordered))
    }

    /// Closes every object whose members a schema lists, but those of conditions.
    private static func closed(_ value: JSONValue) -> JSONValue {
        switch value {
        case .array(let elements): return .array(elements.map(closed))
        case .object(let members):
            var members = JSONObject(
                members.map { name, value in
                    (name, ["if", "then", "else"].contains(name) ? value : closed(value))
                })
            if members["required"] != nil { members["additionalProperties"] = false }
            return .object(members)
        case .null, .bool, .integer, .number, .string: return value
        }
    }

    private static func written(_ report: Report) throws -> JSONValue {
        try JSONValue(parsing: report.rendered(as: .json))
    }

    private static let chinese: Plan = {
        var plan = ReportFixtures.sample
        plan.language = .chinese
        return plan
    }()

    static let plans: [Plan] = [
        ReportFixtures.sample, chinese, ReportFixtures.everyAction, ReportFixtures.plan([]), ReportFixtures.review,
    ]

    @Test(arguments: ReportSchema.allCases)
    func everySchemaIsOneAndSaysSo(_ schema: ReportSchema) throws {
        _ = try Self.schema(schema)
        let json = schema.json.unordered
        #expect(json["$schema"] == "https://json-schema.org/draft/2020-12/schema")
        #expect(json["$id"] == .string("urn:bugle:schema:\(schema.rawValue):1.1"))
        #expect(json["type"] == "object")
        Self.everyDefinitionIsUsed(json)
    }

    private static func everyDefinitionIsUsed(_ json: JSONValue) {
        let text = json.canonicalText
        for name in (json["$defs"]?.object ?? [:]).keys {
            #expect(text.contains("\"#/$defs/\(name)\""), "\(name) is never referred to")
        }
    }

    @Test(arguments: plans)
    func everyPlanIsAsTheSchemaSaysWithoutAMemberBesides(_ plan: Plan) throws {
        let json = try Self.written(.plan(plan))
        #expect(try Self.schema(.plan).violations(of: json) == [])
        #expect(try Self.strictSchema(.plan).violations(of: json) == [])
    }

    @Test func everyActionKindRuleAndCodeIsInTheSchema() throws {
        let schema = try Self.schema(.plan)
        var json = try Self.written(.plan(ReportFixtures.everyAction))
        json["diagnostics"] = .array(
            DiagnosticCode.allCases.map { code in
                try! JSONValue(parsing: DiagnosticRecord.ofFiles.json(of: Diagnostic(.error, code, "x")).bytes)
            })
        var change = try #require(json["changes"]?.array?.first)
        change["blocked"] = .array(Block.Rule.allCases.map { ["rule": .string($0.rawValue), "message": ""] })
        json["changes"] = [change]
        #expect(schema.violations(of: json) == [])
    }

    @Test func diagnosticsAloneAreAsTheSchemaSays() throws {
        let range = SourceRange(
            file: "a.yaml", start: SourcePosition(line: 1, column: 1), end: SourcePosition(line: 1, column: 2))
        let found = [
            Diagnostic(.error, .duplicateName, "twice", at: range, help: "h", related: [.init("first", at: range)]),
            Diagnostic(.note, .quota, "much"),
        ]
        for diagnostics in [found, []] {
            let json = try Self.written(.diagnostics(diagnostics))
            #expect(try Self.strictSchema(.diagnostics).violations(of: json) == [])
        }
    }

    @Test func resultsAndStatesAreAsTheSchemasSay() throws {
        let nothing = ApplyReport(workspace: "w", remote: ReportFixtures.remote(), results: [], exitCode: 0)
        for report in [ReportFixtures.results, nothing] {
            let json = try Self.written(.apply(report))
            #expect(try Self.strictSchema(.apply).violations(of: json) == [])
        }
        let json = try Self.written(.status(ReportFixtures.status))
        #expect(try Self.strictSchema(.status).violations(of: json) == [])
        let history = try Self.written(.history(ReportFixtures.history))
        #expect(try Self.strictSchema(.history).violations(of: history) == [])
    }

    @Test(arguments: ["apply.json", "status.json"])
    func everyGoldenIsAsItsSchemaSays(_ name: String) throws {
        let file = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Goldens/\(name)")
        let schema = try #require(ReportSchema(rawValue: String(name.dropLast(5))))
        let json = try JSONValue(parsing: Data(contentsOf: file))
        #expect(try Self.strictSchema(schema).violations(of: json) == [])
    }

    @Test func aDocumentOfOneKindIsNoneOfAnother() throws {
        let documents: [(ReportSchema, JSONValue)] = [
            (.plan, try Self.written(.plan(ReportFixtures.sample))),
            (.diagnostics, try Self.written(.diagnostics([]))),
            (.apply, try Self.written(.apply(ReportFixtures.results))),
            (.status, try Self.written(.status(ReportFixtures.status))),
            (.history, try Self.written(.history(ReportFixtures.history))),
        ]
        for schema in ReportSchema.allCases {
            for (kind, document) in documents {
                // A plan has diagnostics too: whoever reads those only may take it.
                let fits = kind == schema || (schema == .diagnostics && kind == .plan)
                #expect(try Self.schema(schema).accepts(document) == fits)
            }
        }
    }

    /// A member of a plan, a wrong value for it, and the keyword that says so.
    @Test(
        arguments: [
            (["formatVersion"], "2.0", "pattern"), (["desired"], "sha256:0", "pattern"), (["tool"], nil, "required"),
            (["remoteType"], "fax", "enum"), (["createdAt"], "yesterday", "pattern"), (["simulated"], false, "const"),
            (["targets"], [], "minItems"), (["lastApplied"], [], "type"), (["summary", "send"], nil, "required"),
            (["summary", "send"], -1, "minimum"), (["integrity"], nil, "required"),
            (["changes", "0", "action"], "send", "enum"), (["changes", "0", "action"], "explode", "enum"),
            (["changes", "0", "kind"], "Channels", "enum"), (["changes", "0", "blocked"], nil, "required"),
            (["changes", "0", "line"], 0, "minimum"), (["changes", "0", "after"], "x", "type"),
            (["changes", "0", "delivery"], ["id": "x"], "type"),
            (["changes", "2", "delivery"], nil, "required"), (["changes", "2", "delivery"], .null, "type"),
            (["changes", "2", "delivery", "id"], "no-id", "pattern"),
            (["changes", "2", "delivery", "occurrence"], "twice", "pattern"),
            (["changes", "2", "delivery", "at"], "20:00", "pattern"),
            (["changes", "2", "audience", "devices"], 1.5, "type"), (["changes", "2", "payload", "limit"], "", "type"),
            (["changes", "2", "action"], "create", "enum"),
            (["diagnostics"], [["severity": "fatal"]], "enum"), (["calendar", "entries"], [], "minItems"),
            (["calendar", "entries", "0", "action"], "shout", "enum"), (["calendar", "minimumGap"], 3600, "type"),
            (["calendar", "quietHours", "from"], "9:00", "pattern"),
            (["certificates", "0", "environment"], "moon", "enum"), (["certificates"], [], "minItems"),
            (["certificates", "0", "daysLeft"], "3", "type"),
        ] as [([String], JSONValue?, String)])
    func aWrongDocumentIsRejected(_ path: [String], _ value: JSONValue?, _ keyword: String) throws {
        let schema = try Self.schema(.plan)
        let json = try Self.written(.plan(ReportFixtures.review))
        #expect(schema.violations(of: json) == [])
        let changed = try #require(Self.replaced(json, path[...], by: value))
        let violations = schema.violations(of: changed)
        #expect(violations.contains { $0.keyword == keyword }, "\(violations)")
    }

    private static func replaced(_ json: JSONValue, _ path: ArraySlice<String>, by value: JSONValue?) -> JSONValue? {
        guard let name = path.first else { return value }
        if var elements = json.array, let index = Int(name) {
            elements[index] = replaced(elements[index], path.dropFirst(), by: value) ?? .null
            return .array(elements)
        }
        var changed = json
        changed[name] = replaced(json[name] ?? [:], path.dropFirst(), by: value)
        return changed
    }

    @Test func whatALaterMinorVersionAddsIsAllowed() throws {
        var json = try Self.written(.plan(ReportFixtures.sample))
        json["formatVersion"] = "1.7"
        json["weather"] = "fine"
        #expect(try Self.schema(.plan).violations(of: json) == [])
    }
}
