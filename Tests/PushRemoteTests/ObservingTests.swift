import PushModel
import PushPlan
import PushRemote
import RemoteTesting
import Testing

@Suite struct ObservingTests {
    private let service = FakeService()

    private func observe(_ workspace: Workspace) async throws -> RemoteState {
        try await FakeRemote(service).observe { Planner.questions(Sample.input(workspace, $0)) }
    }

    @Test func everyAudienceThatWouldBeSentIsCounted() async throws {
        let workspace = Sample.workspace([
            Sample.campaign("a"), Sample.campaign("b") { $0.audience = Audience(channels: ["Mets"]) },
        ])
        let state = try await observe(workspace)
        #expect(state.audiences.count == 2)
        #expect(Planner.questions(Sample.input(workspace, state)).counts.isEmpty)
        #expect(state.now == service.now)
    }

    @Test(arguments: [FakeRead.now, .ledger, .resources, .scheduled, .lock, .count])
    func aRemoteThatCannotBeAskedIsAnError(read: FakeRead) async {
        service.with { $0.failingReads[read] = 1 }
        await #expect(throws: RemoteError.self) { try await observe(Sample.workspace([Sample.campaign("a")])) }
    }
}
