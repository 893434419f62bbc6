package import Apply
internal import Base
package import Push

/// The contract of every remote, whatever is behind it: each claim that does not hold is named.
///
/// A remote's tests give it an empty remote and run all of it.
package struct RemoteConformance: Sendable {
    private let reader: any RemoteReading
    private let writer: any RemoteWriting
    private let neighbour: (name: String, reader: any RemoteReading, writer: any RemoteWriting)?
    private let pass: @Sendable (Duration) async -> Void
    private let footprint: @Sendable () async -> String
    private let devices: ConformanceDevices?

    /// - Parameters:
    ///   - reader: what planning uses of the remote.
    ///   - writer: what an apply uses of it.
    ///   - neighbour: another workspace in the same app, and what it uses; nil: there can be none.
    ///   - pass: lets time pass on the server's clock.
    ///   - footprint: changes whenever anything is written.
    ///   - devices: lets devices register; nil: the remote has none to explain.
    package init(
        reader: any RemoteReading, writer: any RemoteWriting,
        neighbour: (name: String, reader: any RemoteReading, writer: any RemoteWriting)? = nil,
        pass: @escaping @Sendable (Duration) async -> Void, footprint: @escaping @Sendable () async -> String,
        devices: ConformanceDevices? = nil
    ) {
        self.reader = reader
        self.writer = writer
        self.neighbour = neighbour
        self.pass = pass
        self.footprint = footprint
        self.devices = devices
    }

    /// The claims that do not hold; none when all do.
    package func violations() async -> [String] {
        var found: [String] = []
        for (name, check) in checks {
            do {
                found += try await check().map { "\(name): \($0)" }
            } catch {
                found.append("\(name): \(error)")
            }
        }
        return found
    }

    private var checks: [(String, () async throws -> [String])] {
        [
            ("an empty remote", empty), ("the lock", lock), ("a lock that ended", expiredLock),
            ("unlocking", unlocking),
            ("the ledger", ledger), ("stops", stops), ("a lost lock", lostLock),
            ("the start of the ledger", ledgerStart),
            ("resources", resources), ("reading", reading), ("audiences", audiences),
            ("a neighbour", beside),
        ]
    }

    /// The complaint when a claim does not hold.
    private func unless(_ holds: Bool, _ complaint: String) -> [String] { holds ? [] : [complaint] }

    private func taken(_ run: String) async throws -> Lease {
        switch try await writer.acquireLock(holder: "mina@\(run)", run: run) {
        case .acquired(let lease): return lease
        case .held(let record, _): throw RemoteError(.conditionFailed, "\(run) found the lock held by \(record.run)")
        }
    }

    // MARK: Claims

    private func empty() async throws -> [String] {
        try await unless(reader.ledger().isEmpty, "its ledger holds something")
            + unless(reader.resources().isEmpty, "its resources hold something")
            + unless(!reader.isLedgerStarted(), "its ledger was started")
            + unless(reader.lock() == nil, "its lock was taken")
            + unless(reader.neighbours().isEmpty, "it has other workspaces")
    }

    private func stops() async throws -> [String] {
        let now = try await reader.now()
        let one = StopOrder(
            key: "0123456789abcdef", title: "score@1", by: "mina on mac", at: now, why: "wrong <link>\n")
        let all = StopOrder(by: "li on ci", at: now, why: "不对")
        var complaints = unless(try await reader.stops().isEmpty, "there are some before any")
        let copy = StopOrder.ofCopy(at: now)
        for (ended, left) in [(copy, all), (all, copy)] {
            for order in [copy, all] { try await writer.stop(order) }
            try await writer.lift(ended)
            complaints += unless(try await reader.stops() == [left], "\(left.key) does not outlive \(ended.key)")
            try await writer.lift(left)
        }
        for order in [one, all] { try await writer.stop(order) }
        // By another person, a moment later.
        var again = one
        (again.by, again.at) = ("li on ci", now + .seconds(60))
        try await writer.stop(again)
        complaints += unless(
            try await reader.stoppedLedger().stops.map(\.key) == [all.key],
            "one is in force for a delivery that is not there")
        let found = try await reader.stops().sorted { ($0.key, $0.at) < ($1.key, $1.at) }
        complaints += unless(
            found.first == all && found.dropFirst().first == one, "they are not as they were given: \(found)")
        try await writer.lift(one)
        complaints += unless(try await reader.stops() == [all], "lifting one leaves more or less than the other")
        try await writer.lift(one)
        try await writer.lift(all)
        return complaints + unless(try await reader.stops().isEmpty, "they cannot be lifted")
    }

    private func lock() async throws -> [String] {
        let lease = try await taken("first")
        let record = try await reader.lock()
        var complaints =
            unless(record?.run == "first" && record?.holder == "mina@first", "it does not say who holds it")
            + unless(record?.fence == lease.fence, "it does not say its fence")
        if case .acquired = try await writer.acquireLock(holder: "other", run: "second") {
            complaints.append("two runs have it")
        }
        await pass(.seconds(60))
        let renewed = try await writer.renew(lease)
        complaints += unless((renewed?.expiresAt ?? lease.expiresAt) > lease.expiresAt, "renewing does not prolong it")
        complaints += unless(renewed?.fence == lease.fence, "renewing changes the fence")
        let applied = LastApplied(
            commit: "abc1234", committedAt: Instant(seconds: 1_795_000_000), at: try await reader.now(), run: "run/812")
        try await writer.release(lease, lastApplied: applied)
        complaints += unless(try await reader.lock()?.lastApplied == applied, "it forgets the last apply")
        let next = try await taken("second")
        complaints += unless(next.fence > lease.fence, "the fence is not raised")
        complaints += unless(try await reader.lock()?.lastApplied == applied, "taking it forgets the last apply")
        try await writer.release(lease, lastApplied: nil)
        complaints += unless(try await reader.lock()?.run == "second", "an old lease frees another run's lock")
        try await writer.release(next, lastApplied: nil)
        complaints += unless(try await reader.lock()?.lastApplied == applied, "freeing it forgets the last apply")
        return complaints
    }

    private func expiredLock() async throws -> [String] {
        let old = try await taken("slow")
        await pass(.seconds(125))
        let new = try await taken("next")
        var complaints = unless(new.fence > old.fence, "its successor has no higher fence")
        complaints += unless(try await writer.renew(old) == nil, "it is renewed although somebody else has it")
        try await writer.release(new, lastApplied: nil)
        return complaints
    }

    private func unlocking() async throws -> [String] {
        let lease = try await taken("stuck")
        var complaints = unless(try await !writer.unlock(fence: lease.fence + 1), "another fence frees it")
        complaints += unless(try await writer.unlock(fence: lease.fence), "its own fence does not free it")
        complaints += unless(try await writer.renew(lease) == nil, "a lock that was freed is renewed")
        try await writer.release(try await taken("after"), lastApplied: nil)
        return complaints
    }

    private func ledger() async throws -> [String] {
        let lease = try await taken("ledger")
        var full = Sample.fullEntry("conformance")
        full.fence = lease.fence
        var bare = Sample.bareEntry("bare")
        bare.fence = lease.fence
        try await writer.insert(full, under: lease)
        try await writer.insert(bare, under: lease)
        var read = try await reader.ledger()
        var complaints =
            unless(read.first { $0.campaign == "conformance" } == full, "an entry does not read as it was written")
            + unless(read.first { $0.campaign == "bare" } == bare, "a bare entry does not read as it was written")
        let name = full.campaign
        full = full.renamed(to: "renamed")
        try await writer.update(full, under: lease)
        read = try await reader.ledger()
        complaints += unless(
            read.count == 2 && read.first { $0.campaign == "renamed" } == full,
            "it does not learn a campaign's new name")
        full = full.renamed(to: name)
        full.state = .sent
        full.generation = 4
        full.reason = nil
        full.figures = nil
        full.scheduledAt = nil
        try await writer.update(full, under: lease)
        read = try await reader.ledger()
        complaints += unless(read.count == 2, "an update leaves \(read.count) entries of two deliveries")
        complaints += unless(
            read.first { $0.campaign == "conformance" } == full, "an updated entry does not read as it was written")
        try await writer.release(lease, lastApplied: nil)
        return complaints
    }

    private func lostLock() async throws -> [String] {
        let old = try await taken("loser")
        var entry = Sample.bareEntry("contested")
        entry.fence = old.fence
        try await writer.insert(entry, under: old)
        await pass(.seconds(125))
        let new = try await taken("winner")
        entry.state = .sent
        try await writer.update(entry, under: new)
        entry.fence = new.fence
        var late = entry
        late.state = .refused
        var complaints: [String] = []
        do throws(RemoteError) {
            try await writer.update(late, under: old)
            complaints.append("a run that lost the lock updates an entry")
        } catch {
            complaints += unless(error.kind == .conditionFailed, "a write without the lock fails as \(error.kind)")
        }
        if (try? await writer.insert(Sample.bareEntry("late"), under: old)) != nil {
            complaints.append("a run that lost the lock inserts an entry")
        }
        let read = try await reader.ledger()
        complaints += unless(read.first { $0.campaign == "contested" } == entry, "what was refused was written")
        complaints += unless(!read.contains { $0.campaign == "late" }, "what was refused was inserted")
        try await writer.release(new, lastApplied: nil)
        return complaints
    }

    private func ledgerStart() async throws -> [String] {
        try await writer.startLedger()
        var complaints = unless(try await reader.isLedgerStarted(), "it is not remembered")
        try await writer.startLedger()
        complaints += unless(try await reader.isLedgerStarted(), "saying it twice takes it back")
        return complaints
    }

    private func resources() async throws -> [String] {
        let lease = try await taken("resources")
        var segment = ResourceRecord(
            kind: .segment, name: "fans", fields: ["where": ["channels": ["$in": ["Giants"]], "a.b": 1.5]])
        let profile = ResourceRecord(
            kind: .deviceProfile, name: "fans", fields: ["topic": "com.example.app"], isProtected: true)
        try await writer.save(segment, under: lease)
        try await writer.save(profile, under: lease)
        var complaints = unless(
            Set(try await reader.resources()) == [segment, profile], "they do not read as they were saved")
        segment.fields = ["where": ["scores": true]]
        try await writer.save(segment, under: lease)
        complaints += unless(
            Set(try await reader.resources()) == [segment, profile], "saving one again does not replace it")
        try await writer.delete(segment, under: lease)
        try await writer.delete(segment, under: lease)
        complaints += unless(try await reader.resources() == [profile], "one that was deleted is there")
        try await writer.delete(profile, under: lease)
        try await writer.release(lease, lastApplied: nil)
        return complaints
    }

    private func audiences() async throws -> [String] {
        guard let devices else { return [] }
        for (device, age) in ConformanceDevices.all { try await devices.register(device, age) }
        let before = await footprint()
        var complaints: [String] = []
        for (condition, expected) in ConformanceDevices.explanations {
            let audience = devices.audience(condition)
            let explanation = try await reader.explain(audience, deviceProfiles: ["main", "driver"])
            complaints += unless(
                explanation == expected, "\(condition.canonicalText) is explained as \(explanation), not \(expected)")
            complaints += unless(
                try await reader.count(audience).devices == explanation.devices,
                "\(condition.canonicalText) is counted otherwise")
        }
        return complaints + unless(await footprint() == before, "explaining them writes something")
    }

    /// What another workspace does in the same app is told by its name, and is otherwise nothing of ours.
    private func beside() async throws -> [String] {
        guard let neighbour else { return [] }
        let before = (ledger: try await reader.ledger(), resources: Set(try await reader.resources()))
        let ours = try await taken("ours")
        guard case .acquired(let theirs) = try await neighbour.writer.acquireLock(holder: "neighbour", run: "theirs")
        else { return ["our lock is theirs"] }
        var complaints: [String] = []
        // One of our own deliveries, by its very id, and one more.
        for campaign in ["bare", "theirs"] {
            var entry = Sample.bareEntry(campaign)
            (entry.workspace, entry.state, entry.fence) = (neighbour.name, .sent, theirs.fence)
            try await neighbour.writer.insert(entry, under: theirs)
        }
        try await neighbour.writer.save(
            ResourceRecord(kind: .segment, name: "fans", fields: ["where": ["scores": true]]), under: theirs)
        complaints += unless(try await reader.ledger() == before.ledger, "its deliveries are in our ledger")
        complaints += unless(Set(try await reader.resources()) == before.resources, "its resources are ours")
        complaints += unless(try await !neighbour.reader.isLedgerStarted(), "our ledger's start is its own")
        let told = try await reader.neighbours()
        complaints += unless(told == [neighbour.name: 2], "it is told as \(told)")
        complaints += unless(
            try await neighbour.reader.neighbours() == ["giants": before.ledger.count], "we are told otherwise")
        complaints += unless(try await neighbour.reader.ledger().count == 2, "its own ledger is not what it wrote")
        try await writer.release(ours, lastApplied: nil)
        complaints += unless(try await neighbour.reader.lock()?.run == "theirs", "freeing our lock frees its lock")
        try await neighbour.writer.release(theirs, lastApplied: nil)
        return complaints
    }

    private func reading() async throws -> [String] {
        let before = await footprint()
        _ = try await reader.now()
        _ = try await reader.ledger()
        _ = try await reader.resources()
        _ = try await reader.neighbours()
        _ = try await reader.isLedgerStarted()
        _ = try await reader.lock()
        let after = await footprint()
        return unless(before == after, "it writes something")
    }
}

extension Sample {
    /// A ledger entry in which everything is set that can be.
    package static func fullEntry(_ campaign: String) -> LedgerEntry {
        var entry = bareEntry(campaign)
        entry.generation = 3
        entry.notificationID = delivery(campaign, generation: 3)
        entry.state = .unsent
        entry.occurrence = .on(OffsetInstant(start).date)
        entry.attemptedAt = start + .seconds(660)
        entry.scheduledAt = start + .seconds(3600)
        entry.dueAt = start + .seconds(60)
        entry.mostDevices = 49_999
        entry.expiresAt = start + .seconds(86_400)
        entry.formerly = ["first", "second"]
        entry.objectID = "i4OcyCnyjckJOtzz"
        entry.scheduledID = 4711
        entry.figures = DeliveryFigures(
            devices: 12_345, successes: 12_000, invalidTokens: 7, inDoubt: 3, missed: 2, simulated: 4)
        entry.reason = Reason(.stage, .number(2), .reason(.verbatim("code 1: \u{1B}[31mred")))
        entry.isMissed = true
        entry.provenance = Provenance(commit: "abc1234", actor: "mina", run: "https://ci.example.com/812")
        return entry
    }

    /// A ledger entry with only what every one has.
    package static func bareEntry(_ campaign: String) -> LedgerEntry {
        let body: JSONValue = ["data": ["alert": "赢了"], "where": ["channels": ["$in": ["Giants"]], "a.b": 1.5]]
        return LedgerEntry(
            delivery: delivery(campaign), generation: 0, notificationID: delivery(campaign), workspace: "giants",
            campaign: campaign, revision: 1, state: .sending, request: PushRequest(endpoint: .push, body: body),
            fingerprint: Digest(of: body), content: Digest(of: ["content"] as JSONValue), encoder: 1,
            intendedAt: start + .milliseconds(250), window: .seconds(3600), fence: 0,
            provenance: Provenance(commit: nil))
    }
}
