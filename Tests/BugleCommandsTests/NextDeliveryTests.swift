import Apply
import Push
import RemoteTesting
import Testing

@testable import BugleCommands

/// The delivery that an apply calls the next one.
@Suite struct NextDeliveryTests {
    @Test(arguments: [false, true]) func whatIsOnHoldIsNotDueNext(isHeld: Bool) {
        let campaign = Sample.campaign("later", at: Sample.start + .seconds(3600)) { $0.hold = isHeld }
        let input = Sample.input(Sample.workspace([campaign]), RemoteState(now: Sample.start), canSchedule: false)
        let plan = Planner.plan(input).plan
        #expect(plan.changes.map(\.action) == [.wait])
        let outcome = ApplySession.Outcome(ending: .finished, plan: plan, results: [])
        #expect((outcome.next == nil) == isHeld)
    }
}
