import Push
import Testing

@testable import BugleCommands

@Suite struct AudienceComparisonTests {
    typealias Cause = AudienceComparison.Cause

    /// Of audiences above a thousand devices, of which a sample of ids shows some causes.
    @Test(arguments: [
        (2000, 1990, Cause.registered, 10), (2000, 1990, .removed, 10), (2000, 1990, .notCopied, 0),
        (1990, 2000, .registered, 0), (1990, 2000, .notCopied, 10), (2000, 2000, .registered, 0),
    ])
    func whatAddsDevicesExplainsNoneThatLack(before: Int, after: Int, sampled: Cause, unknown: Int) {
        var causes = AudienceComparison.Causes()
        causes.add(sampled, "id")
        causes.explainRest(AudienceCount(devices: before), AudienceCount(devices: after), keptAside: 0)
        #expect(causes[.unknown] == unknown)
    }
}
