import Base
import Push
import RemoteTesting
import Testing

@Suite struct CheckerTests {
    /// Says of every campaign what it was asked to encode.
    private struct TalkingEncoder: RequestEncoding {
        let version = 1

        func encode(_ draft: PushDraft) -> EncodedPush {
            let finding = Diagnostic(
                .warning, .notSupported, "\(draft.campaign.name) \(draft.scheduledAt?.text ?? "now")",
                at: draft.campaign.origin.range(of: []))
            return EncodedPush(
                request: PushRequest(endpoint: .push, body: ["where": [:]]), bytes: 0, limit: 4096, findings: [finding])
        }
    }

    @Test func everyCampaignMeantForTheRemoteIsEncodedOnce() {
        let workspace = Sample.workspace([
            Sample.campaign("a"), Sample.campaign("b", at: Sample.start), Sample.campaign("c") { $0.remotes = ["x"] },
        ])
        let findings = Checker.findings(workspace, remote: "production", encoder: TalkingEncoder())
        #expect(findings.map(\.message) == ["a now", "b 2026-11-20T12:00:00Z"])
    }

    @Test func whatTheEncoderSaysIsInThePlan() {
        let input = Ledger.answered(
            Sample.input(
                Sample.workspace([Sample.campaign("a")]),
                RemoteState(now: Sample.start, ledgerStarted: true, installations: InstallationSample(size: 0)),
                encoder: TalkingEncoder()))
        #expect(Planner.plan(input).plan.diagnostics.map(\.message.text) == ["a now"])
    }

    @Test func policyThatIsKeptHasNothingToSay() {
        #expect(Checker.policyFindings(Sample.workspace([Sample.campaign("a")])).isEmpty)
    }
}
