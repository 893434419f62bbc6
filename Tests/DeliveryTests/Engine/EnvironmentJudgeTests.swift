import Push
import Testing

@testable import Delivery

@Suite struct EnvironmentJudgeTests {
    @Test func anotherProfilesSuccessSaysNothingOfOnesCredentials() async throws {
        let clock = await ServerTime(elapsed: { .zero }) { Instant(seconds: 1_790_000_000) }
        let gate = DeliveryGate(
            [:], profiles: ["passenger": .hms, "driver": .hms], isStopped: { false }, clock: clock, elapsed: { .zero })
        for _ in 0..<20_000 { gate.note(.accepted, by: "passenger") }
        let reason = try #require(VendorReason(.hms, "80300007"))
        for _ in 0..<1000 { gate.note(.refused(.service(.vendor(reason), since: nil)), by: "driver") }
        #expect(gate.isRightEnvironment("passenger") && !gate.isRightEnvironment("driver"))
        #expect(gate.admits("passenger") && !gate.admits("driver"))
    }

    private func judge(accepted: Int = 0, bad: Int = 0, gone: Int = 0, other: Int = 0) -> EnvironmentJudge {
        var judge = EnvironmentJudge()
        for _ in 0..<accepted { judge.note(.accepted) }
        for _ in 0..<bad { judge.note(.refused(.service(.apple(.badDeviceToken), since: nil))) }
        for _ in 0..<gone { judge.note(.refused(.service(.apple(.unregistered), since: 1))) }
        for _ in 0..<other {
            judge.note(.unknown("reset"))
            judge.note(.notSent(.noBodyGiven("stopped")))
        }
        return judge
    }

    @Test func overAFifthOfBadTokensAfter200AnswersStops() {
        #expect(!judge(accepted: 0, bad: 199).isWrongEnvironment)
        #expect(judge(accepted: 0, bad: 200).isWrongEnvironment)
        #expect(!judge(accepted: 160, bad: 40).isWrongEnvironment)
        #expect(judge(accepted: 159, bad: 41).isWrongEnvironment)
        #expect(!judge(accepted: 0, gone: 1000).isWrongEnvironment, "removed apps say nothing of the environment")
        #expect(!judge(accepted: 0, bad: 199, other: 500).isWrongEnvironment, "no answer is no answer")
    }

    @Test func badTokensAreMarkedWhereNineTenthsAreAccepted() {
        #expect(!judge().isRightEnvironment)
        #expect(!judge(accepted: 8, bad: 1).isRightEnvironment)
        #expect(judge(accepted: 9, bad: 1).isRightEnvironment)
        #expect(!judge(accepted: 89, bad: 1, gone: 10).isRightEnvironment)
        #expect(judge(accepted: 90, bad: 10).isRightEnvironment)
    }

    @Test func aWrongEnvironmentNeverMarksWhatIsNotProven() {
        // However the answers come, the count that stops a delivery never lets it mark.
        for bad in 0...300 {
            for accepted in stride(from: 0, through: 300, by: 7) {
                let judge = judge(accepted: accepted, bad: bad)
                #expect(!(judge.isWrongEnvironment && judge.isRightEnvironment))
            }
        }
    }

    @Test func anInterruptedDeliveryGoesOnCounting() {
        var judge = EnvironmentJudge(answers: 199, accepted: 150, badTokens: 49)
        #expect(!judge.isWrongEnvironment)
        judge.note(.refused(.service(.apple(.badDeviceToken), since: nil)))
        #expect(judge.isWrongEnvironment)
        for _ in 0..<800 { judge.note(.accepted) }
        #expect(!judge.isWrongEnvironment && judge.answers == 1000 && judge.accepted == 950)
        #expect(judge.isRightEnvironment)
    }
}
