import Base
import Push
import RemoteTesting
import Testing

@Suite struct EvidenceGathererTests {
    private let service = FakeService()
    private let id = Sample.delivery("score")

    private func gather(_ ledger: [LedgerEntry] = []) async -> Evidence {
        let remote = FakeRemote(service)
        return await EvidenceGatherer(remote, ledger: ledger, now: service.now).evidence(for: id)
    }

    private func sent(_ campaign: String, age: Duration, state: DeliveryState = .sent, isMade: Bool) -> LedgerEntry {
        let delivery = Sample.delivery(campaign)
        if isMade { make(delivery) }
        return LedgerEntry(
            delivery: delivery, generation: 0, notificationID: delivery, workspace: "giants", campaign: campaign,
            revision: 1, state: state, request: nil, fingerprint: Digest(of: "f"), content: Digest(of: "c"),
            encoder: 1, intendedAt: service.now - age, window: .seconds(60), fence: 1, provenance: Provenance())
    }

    private func make(_ delivery: DeliveryID, at: Instant? = nil) {
        service.with { world in
            _ = world.take(
                PushRequest(
                    endpoint: .push,
                    body: [
                        "notification_id": .string(delivery.text), "req_id": .string(delivery.text),
                        "push_time": at.map { .string($0.text) } ?? .null,
                    ]))
        }
    }

    @Test func aRecordIsFound() async {
        make(id)
        guard case .found(let record) = await gather() else {
            Issue.record("not found")
            return
        }
        #expect(record.objectID == "push1" && record.standing == .done)
    }

    @Test func aPushKeptForLaterIsFoundScheduled() async {
        make(id, at: service.now + .seconds(3600))
        guard case .found(let record) = await gather() else {
            Issue.record("not found")
            return
        }
        #expect(record.standing == .scheduled)
    }

    @Test func aPushThatFiresBetweenTheTwoLooksIsFound() async {
        make(id, at: service.now + .seconds(60))
        let remote = FakeRemote(service, afterRead: { [service] _ in service.advance(.seconds(60)) })
        let evidence = await EvidenceGatherer(remote, ledger: [], now: service.now).evidence(for: id)
        guard case .found = evidence else {
            Issue.record("not found: \(evidence)")
            return
        }
    }

    @Test func withoutAControlNothingIsBelieved() async { #expect(await gather() == Evidence.none) }

    @Test(arguments: [3600, 86_400, 6 * 86_400])
    func aControlThatIsFoundMakesNothingBelieved(age: Int) async {
        #expect(await gather([sent("control", age: .seconds(age), isMade: true)]) == Evidence.none)
    }

    @Test func aControlThatIsNotFoundMakesTheLookUpFail() async {
        let evidence = await gather([sent("control", age: .seconds(7200), isMade: false)])
        guard case .failed(let reason) = evidence else {
            Issue.record("believed: \(evidence)")
            return
        }
        #expect(reason.text.contains(Sample.delivery("control").text))
    }

    @Test(arguments: [3599, 6 * 86_400 + 1])
    func aDeliveryTooYoungOrTooOldIsNoControl(age: Int) async {
        #expect(await gather([sent("control", age: .seconds(age), isMade: false)]) == Evidence.none)
    }

    @Test func onlySentDeliveriesAreControls() async {
        for state in DeliveryState.allCases where state != .sent {
            #expect(await gather([sent("c", age: .seconds(7200), state: state, isMade: false)]) == Evidence.none)
        }
    }

    @Test func theNewestControlIsAsked() async {
        let old = sent("old", age: .seconds(9000), isMade: false)
        let new = sent("new", age: .seconds(7200), isMade: true)
        #expect(await gather([new, old]) == Evidence.none)
        #expect(await gather([old, new]) == Evidence.none)
    }

    @Test func aScheduledControlCountsFromItsFiring() async {
        var entry = sent("control", age: .seconds(86_400), isMade: false)
        entry.scheduledAt = service.now - .seconds(60)
        #expect(await gather([entry]) == Evidence.none)
    }

    @Test(arguments: [FakeRead.record, .scheduled])
    func aLookUpThatFailsProvesNothing(read: FakeRead) async {
        service.with { $0.failingReads[read] = 1 }
        guard case .failed = await gather() else {
            Issue.record("believed")
            return
        }
    }

    private func entry(_ number: Int, _ change: (inout LedgerEntry) -> Void = { _ in }) -> LedgerEntry {
        var entry = sent("c\(number)", age: .seconds(number * 3600), isMade: false)
        entry.objectID = "push\(number)"
        change(&entry)
        return entry
    }

    @Test func theOldestPushOfAWeekTellsThatItWasStoppedInTheConsoleAsTheNewestDoes() async throws {
        var stop = StopOrder(key: "", by: "the console", at: service.now, why: "wrong link")
        stop.isAtServer = true
        service.with { world in
            world.isBugleServer = true
            world.recordStanding = .queued
        }
        for number in 1...30 {
            service.with { [stop] in $0.recordStop = [1, 30].contains(number) ? stop : nil }
            make(Sample.delivery("c\(number)"))
        }
        let entries = (1...30).map { entry($0) }
        service.with { $0.ledger = entries }
        #expect(try await Set(FakeRemote(service).stoppedLedger().stops.map(\.title)) == ["c1@1", "c30@1"])
        // A server that does not tell is no server where nothing is stopped.
        service.with { $0.failingReads[.record] = 1 }
        await #expect(throws: RemoteError.self) { _ = try await FakeRemote(service).stoppedLedger() }
    }

    @Test func thePushesOfAWeekThatAreNotCountedAreAskedForWhatHoldsThemUp() {
        let now = service.now
        #expect((1...30).reversed().map { entry($0) }.uncounted(at: now).map(\.campaign) == (1...30).map { "c\($0)" })
        let others = [
            entry(1) { $0.figures = DeliveryFigures(devices: 1, successes: 1, invalidTokens: 0) },
            entry(2) { $0.objectID = nil }, entry(3) { $0.state = .unknown }, entry(200),
            entry(4) { ($0.state, $0.scheduledAt) = (.scheduled, now + .seconds(60)) },
        ]
        #expect(others.uncounted(at: now).isEmpty)
        let fired = entry(200) { ($0.state, $0.scheduledAt) = (.scheduled, now - .seconds(60)) }
        #expect([fired].uncounted(at: now) == [fired])
    }
}
