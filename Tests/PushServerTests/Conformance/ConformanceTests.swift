import PushServer
import Testing

/// Every row is a request and an answer of LeanCloud's documentation, over HTTP against a server of its own.
@Suite struct ConformanceTests {
    private static let all: [Fact] =
        Fact.transport + Fact.installations + Fact.registration + Fact.parameters + Fact.operators + Fact.scanning
        + Fact.writing + Fact.batches + Fact.channelsAndCleanUp + Fact.pushes + Fact.pushRefusals + Fact.records
        + Fact.errors + Fact.returning + Fact.tokens + Fact.cloudQueries + Fact.routers + Fact.appleGenerations
        + Fact.androidGenerations + Fact.otherGenerations + Fact.pushMode

    @Test(arguments: all.filter(\.holdsHere))
    func theServerDoesWhatIsDocumented(fact: Fact) async throws {
        try await TestServer.run(
            clock: ServerClock(standingAt: fact.start, machineAt: fact.start), configure: fact.configure
        ) {
            (server) async throws in
            var run = FactRun(server)
            for step in fact.steps { try await run.carryOut(step, of: fact) }
        }
    }
}
