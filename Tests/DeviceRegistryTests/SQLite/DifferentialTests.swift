import Base
import RegistryTesting
import Testing

@testable import DeviceRegistry

/// Thousands of conditions, asked of the database and of the objects in memory.
@Suite struct DifferentialTests {
    @Test(arguments: [1, 2, 3] as [UInt64], [[], ["number", "word", "flag", "tags", "who", "any"]])
    func theDatabaseAgreesWithTheLanguageReadWordForWord(seed: UInt64, indexed: [String]) async throws {
        var maker = ConditionMaker(seed: seed)
        let registry = try await Registry.test()
        let evaluator = try await NaiveEvaluator(filling: registry, by: &maker)
        try await registry.index(indexed)
        for number in 0..<340 {
            let className = number % 3 == 0 ? try ClassName("Thing") : .installation
            let keys = className.isInstallation ? ConditionMaker.deviceKeys : ConditionMaker.keys
            try await compare(registry, evaluator, className, maker.condition(keys))
        }
    }

    private func compare(
        _ registry: Registry, _ evaluator: NaiveEvaluator, _ className: ClassName, _ condition: JSONValue
    ) async throws {
        let objects = evaluator.classes[className.name] ?? []
        let expected = objects.filter { evaluator.fits($0, condition) }.compactMap { $0["objectId"]?.string }
        // A text that orders nothing, so that the place of a `$nearSphere` does not count.
        let query = ObjectQuery(where: condition, limit: 1000, order: ["none"], countsAll: true)
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
}
