import BaseTesting
import Push
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

    /// What is asked for a plan that somebody reviews.
    private func review(_ workspace: Workspace, _ remote: FakeRemote? = nil) async throws -> RemoteState {
        try await (remote ?? FakeRemote(service)).observe { state in
            var input = Sample.input(workspace, state)
            input.explainsAudiences = true
            return Planner.questions(input)
        }
    }

    private static let two = Sample.workspace([
        Sample.campaign("a"), Sample.campaign("b") { $0.audience = Audience(channels: ["Mets"]) },
    ])

    @Test func reviewedAudiencesAreTakenApartAndCompared() async throws {
        let state = try await review(Self.two)
        #expect(state.explanations.count == 2)
        #expect(state.explanations.values.allSatisfy { $0.devices == 3 })
        // Two audiences, and what they share.
        #expect(state.audiences.count == 3)
        #expect(state.unanswered.isEmpty)
        #expect(try await observe(Self.two).explanations.isEmpty)
    }

    @Test func anAudienceThatIsNotExplainedIsNoError() async throws {
        service.with { $0.failingReads[.explanation] = 1 }
        let asked = Counter()
        let remote = FakeRemote(service, afterRead: { if $0 == .explanation { asked.next() } })
        let state = try await review(Self.two, remote)
        #expect(state.audiences.count == 2)
        #expect(state.explanations.isEmpty)
        // What cannot be reached is not asked again and again.
        #expect(asked.value == 1)
        #expect(state.unanswered.count == 3)
        #expect(state.unanswered.values.allSatisfy { $0 == "the service answered 503" })
    }

    @Test(arguments: [FakeRead.now, .ledger, .resources, .scheduled, .lock, .count])
    func aRemoteThatCannotBeAskedIsAnError(read: FakeRead) async {
        service.with { $0.failingReads[read] = 1 }
        await #expect(throws: RemoteError.self) { try await observe(Sample.workspace([Sample.campaign("a")])) }
    }
}
