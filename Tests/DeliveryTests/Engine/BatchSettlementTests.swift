import Push
import Testing

@testable import Delivery
@testable import DeviceRegistry

@Suite struct BatchSettlementTests {
    @Test(arguments: [Verdict.unknown("no answer in time"), .notSent(.noBodyGiven("no connection"))])
    func whatIsRefusedHereDoesNotSpeakForAServiceThatAnswersNobody(answer: Verdict) throws {
        let reason = try #require(VendorReason(.hms, VendorReason.tooLong))
        let proof = Proof.service(.vendor(reason), since: nil)
        let batch = JournalBatch(
            delivery: "d", number: 1, claimant: "r", profile: "p",
            targets: [JournalTarget(token: "hms:a"), JournalTarget(token: "hms:b")])
        func settlement(_ first: Verdict) -> BatchSettlement {
            BatchSettlement(
                batch, [first, answer], at: Instant(seconds: 1_790_000_000), isRightEnvironment: false,
                wasHeldBack: false)
        }
        #expect(!settlement(.notSent(proof)).isFruitful)
        #expect(settlement(.notSent(proof)).refused == ["hms:TOO_LONG": 1])
        #expect(settlement(.refused(proof)).isFruitful)
        #expect(settlement(.accepted).isFruitful)
    }

    @Test(arguments: [0, 7])
    func aServiceWhoseClockIsBehindAtItsHourIsAskedAgainOnTheSameDay(hour: Int) {
        let opening = Instant(seconds: 20_000 * 86_400 + Int64(hour - 8) * 3600)
        #expect((opening - .seconds(1)).next(hourInChina: hour) == opening + .seconds(60))
        #expect((opening + .seconds(1)).next(hourInChina: hour) == opening + .seconds(60))
        #expect((opening + .seconds(60)).next(hourInChina: hour) == opening + .seconds(86_460))
    }
}
