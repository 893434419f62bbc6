import Apply
import Push
import RemoteTesting
import Testing

@testable import BugleCommands

/// What `bugle ledger copy` writes into the ledger of another remote.
@Suite struct LedgerCopyTests {
    private let target = FakeService()

    private static func entry(_ state: DeliveryState, isMissed: Bool = false) -> LedgerEntry {
        var entry = Sample.bareEntry("score")
        (entry.state, entry.isMissed) = (state, isMissed)
        return entry
    }

    /// Copies a ledger; returns the number of entries that were written.
    private func copy(_ entries: LedgerEntry...) async throws -> Int {
        let source = FakeService()
        source.with { $0.ledger = entries }
        let ledger = try await LedgerCopy(from: FakeRemote(source))
        let (target, remote) = (target, FakeRemote(target))
        guard case .acquired(let lease) = try await remote.acquireLock(holder: "mina", run: "copy") else { return -1 }
        return try await ledger.write(
            to: remote, knowing: remote,
            under: LeaseKeeper(lease, writer: remote, began: target.elapsed) { target.elapsed },
            provenance: Provenance(actor: "mina"))
    }

    @Test func whatWasMissedForGoodIsSoAtTheTargetToo() async throws {
        var missed = Self.entry(.unsent, isMissed: true)
        #expect(try await copy(missed) == 1)
        (missed.fence, missed.provenance) = (1, Provenance(actor: "mina"))
        #expect(target.entry("score") == missed)
        let state = RemoteState(now: Sample.start, ledger: [missed], ledgerStarted: true)
        let plan = Planner.plan(Sample.input(Sample.workspace([Sample.campaign("score")]), state)).plan
        #expect(plan.changes.map(\.action) == [.missed])
        #expect(try await copy(missed) == 0, "it is there")
    }

    @Test func whatMayBeSentStillIsNotCopied() async throws {
        #expect(try await copy(Self.entry(.unsent)) == 0)
        #expect(target.entry("score") == nil)
    }

    /// Whether it was gone before its time is found out by an apply.
    @Test func aScheduledPushThatWasStoppedIsNotCopiedAsSent() async throws {
        let source = FakeService()
        var entry = Self.entry(.scheduled)
        entry.scheduledAt = Sample.start + .seconds(600)
        let stopped = entry
        source.with {
            $0.ledger = [stopped]
            $0.stops = [StopOrder(stopped, by: "mina on mac", at: Sample.start, why: "wrong link")]
        }
        source.advance(.seconds(660))
        let ledger = try await LedgerCopy(from: FakeRemote(source))
        #expect(ledger.copied.isEmpty && ledger.left.isEmpty)
        #expect(
            ledger.remedies(on: "old") == [
                "open on old: score@1 is scheduled; 'bugle apply --remote old' settles it"
            ])
    }

    @Test func whatWasDeliveredCountsMoreThanWhatTheTargetMissed() async throws {
        _ = try await copy(Self.entry(.unsent, isMissed: true))
        #expect(try await copy(Self.entry(.sent)) == 1)
        #expect(try await copy(Self.entry(.unsent, isMissed: true)) == 0)
        #expect(target.entry("score")?.state == .sent)
    }

    /// An apply in between would send what is not copied yet.
    @Test func aCopyThatTakesLongerThanALockLastsKeepsIt() async throws {
        let slow = Array(repeating: FakeWriteFailure.slow(.seconds(50)), count: 4)
        target.with { $0.failingWrites["insert sent"] = slow }
        let entries = ["one", "two", "three", "four"].map { name in
            var entry = Sample.bareEntry(name)
            entry.state = .sent
            return entry
        }
        #expect(try await copy(entries[0], entries[1], entries[2], entries[3]) == 4)
        #expect(target.with { $0.ledger.count } == 4)
    }

    /// A part of a ledger is not empty: an apply would take it for all that was delivered.
    @Test func afterACopyThatWasInterruptedNothingIsSentBeforeItIsWhole() async throws {
        target.with { $0.failingWrites["insert sent"] = [.slow(.zero), .refused] }
        let entries = ["one", "two"].map { name in
            var entry = Sample.bareEntry(name)
            entry.state = .sent
            return entry
        }
        await #expect(throws: RemoteError.self) { try await copy(entries[0], entries[1]) }
        var state = RemoteState(now: Sample.start, ledger: target.with { $0.ledger })
        state.stops = target.with { $0.stops }
        #expect(state.ledger.map(\.campaign) == ["one"])
        let plan = Planner.plan(Sample.input(Sample.workspace([Sample.campaign("two")]), state)).plan
        let change = try #require(plan.changes.first { $0.name == "two" })
        #expect(change.action == .send && change.blocked.contains { $0.rule == .stopped })
        #expect(try await copy(entries[0], entries[1]) == 1)
        #expect(target.with { $0.stops } == [])
        #expect(target.with { $0.ledger.count } == 2)
    }

    @Test func aLedgerThatWasCopiedInPartIsNotTakenForTheWhole() async throws {
        target.with { $0.failingWrites["insert sent"] = [.refused] }
        await #expect(throws: RemoteError.self) { try await copy(Self.entry(.sent)) }
        #expect(try await LedgerCopy(from: FakeRemote(target)).isPart)
        #expect(try await copy(Self.entry(.sent)) == 1)
        #expect(try await !LedgerCopy(from: FakeRemote(target)).isPart)
    }

    /// What it sends next is in no entry yet.
    @Test func anApplyThatIsUnderWayAtTheSourceIsNoticedWheneverItBeganAndEnded() async throws {
        let source = FakeService()
        func lock(run: String, fence: Int) -> LockRecord {
            LockRecord(holder: "li", run: run, fence: fence, expiresAt: source.now + .seconds(120))
        }
        let (held, freed, next) = (lock(run: "apply", fence: 1), lock(run: "", fence: 1), lock(run: "", fence: 2))
        #expect(try await !LedgerCopy(from: FakeRemote(source)).isChanging)
        source.with { $0.lock = held }
        #expect(try await LedgerCopy(from: FakeRemote(source)).isChanging)
        let ending = FakeRemote(source, afterRead: { _ in source.with { $0.lock = freed } })
        #expect(try await LedgerCopy(from: ending).isChanging)
        #expect(try await !LedgerCopy(from: ending).isChanging)
        let passing = FakeRemote(source, afterRead: { kind in if kind == .ledger { source.with { $0.lock = next } } })
        #expect(try await LedgerCopy(from: passing).isChanging)
        #expect(try await !LedgerCopy(from: passing).isChanging)
    }

    @Test func aPersonsStopOfEverythingOutlivesTheCopyThatItFindsUnderWay() async throws {
        let person = StopOrder(by: "mina on mac", at: Sample.start, why: "wrong link")
        for order in [StopOrder.ofCopy(at: Sample.start), person] { try await FakeRemote(target).stop(order) }
        #expect(try await copy(Self.entry(.sent)) == 1)
        #expect(target.with { $0.stops } == [person])
    }

    /// Given before the copy or after it was interrupted, and lifted.
    @Test(arguments: [true, false])
    func aPersonsStopThatEndsLeavesThatOfACopyInForce(isBefore: Bool) async throws {
        let remote = FakeRemote(target)
        let person = StopOrder(by: "mina on mac", at: Sample.start, why: "wrong link")
        if isBefore { try await remote.stop(person) }
        target.with { $0.failingWrites["insert sent"] = [.refused] }
        await #expect(throws: RemoteError.self) { try await copy(Self.entry(.sent)) }
        if !isBefore { try await remote.stop(person) }
        #expect(try await LedgerCopy(from: remote).isPart)
        try await remote.lift(person)
        #expect(try await LedgerCopy(from: remote).isPart)
        #expect(try await remote.stoppedLedger().stops.map(\.isForAll) == [true])
        #expect(try await copy(Self.entry(.sent)) == 1)
        #expect(target.with { $0.stops } == [])
    }
}
