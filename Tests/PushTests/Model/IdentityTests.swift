import Base
import Push
import Testing

@Suite struct DeliveryIDTests {
    @Test func anIDIsTheBase32OfTheHash() {
        // printf 'giants\nscore\n1\nonce' | sha256sum, RFC 4648 base32, lower case, 16 characters.
        #expect(DeliveryID(workspace: "giants", campaign: "score", revision: 1).text == "plbaznr2ingezewm")
    }

    @Test func aGenerationAppendsItsNumber() {
        #expect(
            DeliveryID(workspace: "giants", campaign: "score", revision: 1, generation: 2).text == "tjzvlznj6s77mce4")
        #expect(
            DeliveryID(workspace: "giants", campaign: "score", revision: 1, generation: 0)
                == DeliveryID(workspace: "giants", campaign: "score", revision: 1))
    }

    @Test func anOccurrenceIsPartOfIt() throws {
        // printf 'giants\nscore\n1\n2026-11-20' | sha256sum, as above.
        let day = try #require(CivilDate("2026-11-20"))
        #expect(
            DeliveryID(workspace: "giants", campaign: "score", revision: 1, occurrence: .on(day)).text
                == "pgvsma62fle72wrh")
    }

    @Test func everyPartMakesAnotherID() {
        let ids = [
            DeliveryID(workspace: "a", campaign: "b", revision: 1),
            DeliveryID(workspace: "b", campaign: "b", revision: 1),
            DeliveryID(workspace: "a", campaign: "a", revision: 1),
            DeliveryID(workspace: "a", campaign: "b", revision: 2),
            DeliveryID(workspace: "a", campaign: "b", revision: 1, generation: 1),
        ]
        #expect(Set(ids).count == ids.count)
        #expect(ids.allSatisfy { DeliveryID($0.text) == $0 && $0.text.utf8.count == 16 })
    }

    @Test(arguments: ["", "12345678901234567", "abc-def", "日本", "a b"])
    func anythingElseIsNoID(text: String) {
        #expect(DeliveryID(text) == nil)
    }

    @Test(arguments: ["once", "2026-11-20", "2028-02-29", "2226-11-20"])
    func anOccurrenceIsReadBack(text: String) {
        #expect(Occurrence(text)?.text == text)
    }

    @Test(arguments: ["twice", "2026-02-29", "2026-11-2", "2026-11-20T12:00:00Z", "12226-11-20", "+026-11-20"])
    func anythingElseIsNoOccurrence(text: String) { #expect(Occurrence(text) == nil) }
}

@Suite struct DigestTests {
    private let text = "sha256:015abd7f5cc57a2dd94b7590f04ad8084273905ee33ec5cebeae62276a97f862"

    @Test func aValueIsHashedByItsCanonicalText() {
        #expect(Digest(of: ["a": 1]).description == text)
        #expect(Digest(of: Array("{\"a\":1}".utf8)).description == text)
        #expect(Digest(of: ["a": 1]).shortText == "sha256:015abd…")
    }

    @Test func aTextIsReadBack() { #expect(Digest(text)?.description == text) }

    @Test(arguments: [
        "", "sha256:", "015abd", "sha256:015ABD7F5CC57A2DD94B7590F04AD8084273905EE33EC5CEBEAE62276A97F862",
    ])
    func anythingElseIsNoDigest(text: String) {
        #expect(Digest(text) == nil)
    }
}

@Suite struct LedgerEntryTests {
    private func entry(_ state: DeliveryState, generation: Int = 0, fence: Int = 0) -> LedgerEntry {
        let id = DeliveryID(workspace: "a", campaign: "b", revision: 1)
        return LedgerEntry(
            delivery: id, generation: generation, notificationID: id, workspace: "a", campaign: "b", revision: 1,
            state: state, request: nil, fingerprint: Digest(of: 1), content: Digest(of: 1), encoder: 1,
            intendedAt: Instant(seconds: 0), window: .seconds(60), fence: fence, provenance: Provenance())
    }

    @Test func sentOutranksScheduledOutranksSendingOutranksTheRest() {
        let order: [DeliveryState] = [
            .sent, .scheduled, .cancelling, .halted, .holding, .sending, .unknown, .unsent, .cancelled, .refused,
        ]
        #expect(Set(order) == Set(DeliveryState.allCases))
        for (stronger, weaker) in zip(order, order.dropFirst()) {
            #expect(entry(stronger).outranks(entry(weaker)))
            #expect(!entry(weaker).outranks(entry(stronger)))
        }
    }

    @Test func aLaterGenerationCountsUnlessAnEarlierOneWasSentOrMayBe() {
        #expect(entry(.refused, generation: 1).outranks(entry(.unsent)))
        #expect(entry(.sending, generation: 1).outranks(entry(.scheduled)))
        for state: DeliveryState in [.sent, .scheduled, .sending, .unknown] {
            #expect(entry(state).outranks(entry(.refused, generation: 1)), "\(state)")
            #expect(!entry(.refused, generation: 1).outranks(entry(state)), "\(state)")
        }
        #expect(entry(.sent).outranks(entry(.unknown, generation: 1)))
    }

    @Test func ofEqualsTheLaterFenceCounts() {
        #expect(entry(.sent, fence: 2).outranks(entry(.sent, fence: 1)))
        #expect(!entry(.sent).outranks(entry(.sent)))
    }

    @Test func whatAnEntryDoesNotHaveIsNotWritten() {
        let members = LedgerFields.members(of: entry(.sent), fence: 1).compactMapValues { $0 }
        #expect(!members.keys.contains("dueAt") && !members.keys.contains("mostDevices"))
    }

    @Test func anAttemptIsTheIntent() {
        #expect(entry(.sending).attemptedAt == Instant(seconds: 0))
        #expect(!entry(.sending).isMissed)
    }
}

@Suite struct LockRecordTests {
    @Test func aLockIsHeldUntilItEndsOrIsFreed() {
        var lock = LockRecord(holder: "ann", run: "r", fence: 1, expiresAt: Instant(seconds: 10))
        #expect(lock.isHeld(at: Instant(milliseconds: 9999)))
        #expect(!lock.isHeld(at: Instant(seconds: 10)))
        lock.run = ""
        #expect(!lock.isHeld(at: Instant(seconds: 0)))
    }
}
