import JSONValue
import Testing

@testable import DeviceRegistry

/// Thousands of conditions, asked of the database and of the objects in memory.
@Suite struct DifferentialTests {
    private static let keys = [
        "number", "word", "flag", "tags", "when", "who", "place", "deep", "deep.k", "deep.m.z", "any", "none",
        "objectId", "createdAt", "updatedAt",
    ]
    private static let deviceKeys =
        keys + [
            "channels", "channels", "deviceType", "deviceProfile", "deviceToken", "installationId", "valid", "number",
            "word", "flag",
        ]

    @Test(arguments: [1, 2, 3] as [UInt64], [[], ["number", "word", "flag", "tags", "who", "any"]])
    func theDatabaseAgreesWithTheLanguageReadWordForWord(seed: UInt64, indexed: [String]) async throws {
        var maker = ConditionMaker(seed: seed)
        let registry = try Registry.inMemory()
        let evaluator = try await fill(registry, &maker)
        try await registry.index(indexed)
        for number in 0..<340 {
            let className = number % 3 == 0 ? try ClassName("Thing") : .installation
            let keys = className.isInstallation ? Self.deviceKeys : Self.keys
            try await compare(registry, evaluator, className, maker.condition(keys))
        }
    }

    private func compare(
        _ registry: Registry, _ evaluator: NaiveEvaluator, _ className: ClassName, _ condition: JSONValue
    ) async throws {
        let objects = evaluator.classes[className.name] ?? []
        let expected = objects.filter { evaluator.fits($0, condition) }.compactMap { $0["objectId"]?.string }
        var query = ObjectQuery()
        query.condition = condition
        query.limit = 1000
        query.countsAll = true
        // A text that orders nothing, so that the place of a `$nearSphere` does not count.
        query.order = ["none"]
        let found: FoundObjects
        do {
            found = try await registry.find(query, in: className, as: .master)
        } catch {
            Issue.record("\(error) for \(condition.canonicalText)")
            return
        }
        #expect(
            found.results.compactMap { $0["objectId"]?.string } == expected, "\(className): \(condition.canonicalText)")
        #expect(found.count == expected.count, "\(className): \(condition.canonicalText)")
    }

    /// Users, teams, things and devices; every one's id is known to the maker before it is made.
    private func fill(_ registry: Registry, _ maker: inout ConditionMaker) async throws -> NaiveEvaluator {
        maker.people = ["nobody"]
        var classes: [String: [JSONValue]] = [:]
        for (name, count) in [("_User", 12), ("Team", 12), ("Thing", 60), ("_Installation", 120)] {
            let className = try ClassName(name)
            for index in 0..<count {
                var fields = className.isInstallation ? maker.device(index) : maker.fields()
                if className == .user { fields["username"] = .string("user\(index)") }
                let now = Timestamp(iso: "2020-01-0\(index % 5 + 1)T00:00:00Z")!
                let written = try await registry.create(fields, in: className, as: .master, at: now).object
                classes[name, default: []].append(written.json())
                maker.people.append(written.objectID)
            }
        }
        return NaiveEvaluator(classes: classes)
    }
}
