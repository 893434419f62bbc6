import Apply
import ArgumentParser
import Base
import Foundation
import ProgramTesting
import RemoteTesting
import Testing

@testable internal import BugleCommands
@testable internal import Push

// Testing has a type of this name as well.
private typealias ExitStatus = BugleCommands.ExitStatus

/// What the exit code tells of an apply.
@Suite struct ExitStatusTests {
    private static func results(_ outcomes: ChangeOutcome...) -> [ChangeResult] {
        outcomes.map { ChangeResult(Change(kind: .campaign, name: "a", action: .send, reason: .verbatim("")), $0) }
    }

    private static func status(
        _ results: [ChangeResult], _ ending: ApplySession.Ending = .finished
    ) -> ExitStatus {
        .of(ApplySession.Outcome(ending: ending, plan: nil, results: results))
    }

    @Test func whatGoesOnByDesignIsNoFailure() {
        #expect(Self.status(Self.results(.ongoing)) == .success)
        #expect(Self.status(Self.results(.done, .ongoing)) == .success)
        #expect(Self.status(Self.results(.ongoing, .skipped)) == .partial)
        #expect(Self.status(Self.results(.skipped)) == .failed)
    }

    @Test func whatWasMissedOrMustBeTriedAgainIsDoneInPart() {
        #expect(Self.status(Self.results(.partly)) == .partial)
        #expect(Self.status(Self.results(.partly, .failed)) == .partial)
    }

    @Test func aDeliveryThatEndedInDoubtIsToldWhateverStopsTheRun() {
        let results = Self.results(.unknown, .skipped)
        #expect(Self.status(results) == .unknown)
        #expect(Self.status(results, .stopped) == .unknown)
        #expect(Self.status(results, .lockLost) == .unknown)
        #expect(Self.status(Self.results(.done, .skipped), .lockLost) == .locked)
        #expect(ExitStatus.combined([Self.status(results), .failed]) == .unknown)
    }

    @Test func aStopIsToldWhateverStopsTheRun() {
        var plan = Planner.plan(Sample.input(Sample.workspace(), RemoteState(now: Sample.start))).plan
        plan.stops = [StopOrder(by: "ann", at: Sample.start, why: "a typing error")]
        for ending in [ApplySession.Ending.finished, .stopped] {
            let outcome = ApplySession.Outcome(ending: ending, plan: plan, results: Self.results(.done))
            #expect(ExitStatus.of(outcome) == .unknown)
        }
    }

    @Test func whatWasMissedIsBlockedByARuleInAPlanAndHidesNoPersonsDecision() {
        var plan = Planner.plan(Sample.input(Sample.workspace(), RemoteState(now: Sample.start))).plan
        var late = Change(kind: .campaign, name: "late", action: .missed, reason: .verbatim(""))
        late.blocked = [Block(.missed, .verbatim("its window ended"))]
        plan.changes = [late]
        plan.diagnostics = [PlanDiagnostic(.error, .missed, .verbatim("it was never sent"))]
        #expect(ExitStatus.of(plan) == .blocked)
        plan.changes.append(Change(kind: .campaign, name: "open", action: .none, reason: .verbatim("")))
        #expect(ExitStatus.of(plan) == .unknown)
    }

    @Test func whatTheNextApplyFindsOutNeedsNoPerson() {
        var results = Self.results(.unknown)
        results[0].cause = .unsettled
        #expect(Self.status(results, .stopped) == .partial)
        #expect(Self.status(results) == .partial)
    }

    @Test func whatAServerHasNotHandedOnInTimeIsDoneInPartAndThePageSaysSo() throws {
        var results = Self.results(.ongoing)
        results[0].cause = .notHandedOn
        #expect(Self.status(results) == .partial)
        let page = try String(contentsOf: repository.appending(path: "docs/reference/exit-codes.md"), encoding: .utf8)
        let row = try #require(page.split(separator: "\n").first { $0.hasPrefix("| `ongoing` |") })
        #expect(row.contains("; 8 where a server "))
    }

    @Test func everyTableOfExitCodesSaysTheSame() throws {
        let root = repository
        let rows = ExitStatus.allCases.map { "| \($0.rawValue) | \($0.text) |" }
        #expect(rows.count == 13)
        for page in ["CONTRIBUTING.md", "docs/reference/exit-codes.md"] {
            let lines = try String(contentsOf: root.appending(path: page), encoding: .utf8).split(separator: "\n")
            #expect(lines.map(String.init).filter { $0.wholeMatch(of: /\| \d+ \| .* \|/) != nil } == rows, "\(page)")
        }
        let help = Bugle.helpMessage(columns: 10_000)
        for status in ExitStatus.allCases { #expect(help.contains("\(status.rawValue) \(status.text)")) }
    }
}
