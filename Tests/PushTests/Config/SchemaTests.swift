import Base
import BaseTesting
import Push
import Testing

/// What the schema is made of.
@Suite struct SchemaTests {
    /// Each field beside the one document of the schema that explains it.
    @Test(arguments: FieldTableTests.places)
    func everyFieldIsExplained(_ place: FieldTableTests.Place) throws {
        let definitions = try #require(ConfigurationSchema.document.unordered["$defs"]?.object)
        let explanations = definitions.values.compactMap {
            $0["properties"]?[place.field.name]?["description"]?.string
        }
        #expect(explanations.contains { $0.hasPrefix(place.field.documentation + ".") })
    }

    /// A path that leads nowhere would be a rule that never holds.
    @Test func everyRuleSpeaksOfFieldsThatExist() {
        for kind in DocumentKind.allCases { check(kind.description) }
    }

    private func check(_ map: MapDescription) {
        for path in map.rules.flatMap(Self.paths) {
            #expect(Self.exists(path[...], in: map), "\(map.name): \(path)")
        }
        for field in map.fields { for inner in field.type.maps { check(inner) } }
    }

    private static func exists(_ path: ArraySlice<String>, in map: MapDescription) -> Bool {
        guard let name = path.first else { return true }
        guard let field = map.fields.first(where: { $0.name == name }) else { return false }
        return path.count == 1 || field.type.maps.contains { exists(path.dropFirst(), in: $0) }
    }

    private static func paths(_ rule: FieldRule) -> [[String]] {
        switch rule {
        case .exactlyOne(let names): names.map { [$0] }
        case .notEmpty: []
        case .always(let test): paths(test)
        case .when(let premise, let consequence): paths(premise) + paths(consequence)
        }
    }

    private static func paths(_ test: FieldTest) -> [[String]] {
        switch test {
        case .has(let path), .equals(let path, _), .matches(let path, _), .count(let path, _), .elements(let path, _):
            [path]
        case .lacks(let names, let path): names.map { path + [$0] }
        case .not(let inner): paths(inner)
        case .allOf(let tests), .anyOf(let tests): tests.flatMap(paths)
        }
    }

    /// Editors read patterns with the `u` flag, which refuses escapes that mean nothing.
    @Test func patternsEscapeOnlyWhatMayBeEscaped() {
        var patterns: Set<String> = []
        Self.collect(ConfigurationSchema.document.unordered, into: &patterns)
        #expect(patterns.count > 15)
        for pattern in patterns {
            var rest = Substring(pattern)
            var isInClass = false
            while let character = rest.popFirst() {
                switch character {
                case "[": isInClass = true
                case "]": isInClass = false
                case "\\":
                    let escaped = rest.popFirst()
                    #expect(
                        escaped.map { "^$\\.*+?()[]{}|/sSup1".contains($0) || isInClass && $0 == "-" } == true,
                        "\(pattern)")
                default: break
                }
            }
        }
    }

    private static func collect(_ schema: JSONValue, into patterns: inout Set<String>) {
        for element in schema.array ?? [] { collect(element, into: &patterns) }
        for (name, value) in schema.object ?? [:] {
            if name == "pattern", let pattern = value.string { patterns.insert(pattern) }
            collect(value, into: &patterns)
        }
    }

    /// Texts of a field that look right, and those that do not.
    private static let texts: [(field: String, right: [String], wrong: [String])] = [
        ("policy: {maxAudienceGrowth: '%'}", ["12.5%", "012%"], ["1e3%", ".5%", "1234567890123%"]),
        ("policy: {quietHours: {from: '%', to: '08:00', timeZone: UTC}}", ["23:59"], ["24:00", "8:00"]),
        ("policy: {certificateExpiryWarning: '%'}", ["0015m", "0s"], ["1.5h", "s"]),
        (
            "remotes: {r: {type: apns, registry: {sqlite: a}, timeout: '%'}}", ["1m", "007s", "60s"],
            ["61s", "100s", "2m", "0m"]
        ),
        (
            "remotes: {r: {type: apns, registry: {sqlite: a}, hosts: {production: '%'}}}",
            ["https://a:65535/", "a:00080"],
            ["https://a/b", "a:65536", "a/b?c", "http://127.0.0.256", "http://127.0.255.1"]
        ),
    ]

    @Test func patternsAndReadersAgree() async throws {
        let schema = try JSONSchema(ConfigurationSchema.document.unordered)
        for (field, right, wrong) in Self.texts {
            for text in right + wrong {
                let document = "kind: Workspace\nname: giants\n\(field.replacing("'%'", with: "'\(text)'"))\n"
                let lines = await SampleFiles.lines(workspace: document)
                #expect(lines.isEmpty == right.contains(text), "\(document)\(lines)")
                #expect(SchemaRuleTests.violations(of: document, schema).isEmpty == lines.isEmpty, "\(document)")
            }
        }
    }

    @Test(arguments: [
        ("2026-11-27T20:00:00Z", true), ("2026-11-27t20:00:60.123z", true), ("2026-11-27 20:00:00-08:30", true),
        ("2026-13-27T20:00:00Z", false), ("2026-11-32T20:00:00Z", false), ("2026-11-27T24:00:00Z", false),
        ("2026-11-27T20:00:00", false), ("2026-11-27T20:00:00.Z", false), ("2026-11-27T20:00:00+24:00", false),
    ])
    func instantsAreReadAndDescribedAlike(_ text: String, _ isRight: Bool) async throws {
        let schema = try JSONSchema(ConfigurationSchema.document.unordered)
        let document = CampaignRuleTests.head + "schedule: {at: '\(text)'}\n"
        #expect(await SampleFiles.lines(document).isEmpty == isRight)
        #expect(SchemaRuleTests.violations(of: document, schema).isEmpty == isRight)
    }
}
