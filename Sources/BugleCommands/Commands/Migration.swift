internal import Base
internal import Delivery
internal import LeanCloud
internal import Push

/// Checks everything that a migration from LeanCloud to the user's own server depends on.
struct Migration: Sendable {
    typealias Finding = HealthCheck.Finding

    enum State: String, Sendable {
        /// Something remains to be done, before or after the domain is moved.
        case preparing
        /// The domain can be moved.
        case ready
        /// The domain points to the new server.
        case moved
    }

    struct Outcome: Sendable {
        let findings: [Finding]
        let state: State
        let next: Reason
        /// The steps of the turn that are done.
        let done: Set<TurnStep>
        /// The campaigns that an apply would send, now or later, and those that are held and due.
        let campaigns: (unheld: [String], held: [String])
        /// True while the old service can be asked.
        let isOldThere: Bool

        var closing: Reason {
            switch state {
            case .preparing: Reason(.next, .reason(next))
            case .ready: Reason(.nextReady, .reason(next))
            case .moved: Reason(.nextMoved, .reason(next))
            }
        }
    }

    struct Findings: Sendable {
        var all: [Finding] = []
        /// The steps that something is left to do for.
        var open: Set<TurnStep> = []

        /// Adds findings that a step depends on.
        mutating func add(_ findings: [Finding], to step: TurnStep) {
            all += findings
            if findings.contains(where: { $0.severity == .error }) { open.insert(step) }
        }
    }

    let bench: Workbench
    let desired: Workspace
    let old: RemoteDeclaration
    let new: RemoteDeclaration
    let domain: MovingDomain
    /// The addresses and app ids of both remotes.
    let places: (old: Place, new: Place)
    /// True to look closer than before each step.
    var isRehearsal = false
    /// True to let vendors check messages in a dry run.
    var dryRunsVendors = false

    struct Place: Sendable {
        let url: String
        let appID: String
    }

    /// Reads the workspace; no request is sent yet.
    ///
    /// - Throws: ``Failure`` when the workspace or one of the remotes cannot be used.
    init(_ workbench: Workbench, from: String, to: String, domain: String?) async throws {
        var bench = workbench
        desired = try bench.desired()
        old = try bench.remote(named: from, in: desired)
        new = try bench.remote(named: to, in: desired)
        try bench.check(old, desired)
        try bench.check(new, desired)
        let places = (old: try Self.place(of: old, bench), new: try Self.place(of: new, bench))
        guard Authority(of: places.old.url) != Authority(of: places.new.url) else {
            throw Failure(.usage, "\(from) and \(to) have the same address: there is nothing to move")
        }
        self.domain = try MovingDomain(
            name: domain, old: places.old.url, new: places.new.url, caFile: bench.caFile(of: new))
        self.places = places
        self.bench = bench
    }

    private static func place(of remote: RemoteDeclaration, _ bench: Workbench) throws -> Place {
        guard case .leancloud(let settings) = remote.service else {
            throw Failure(
                .usage,
                "\(remote.name) is a registry, not a service: name the remote with the server's address")
        }
        var field = "url"
        do {
            let url = try bench.secrets.text(settings.url)
            field = "appId"
            return Place(url: url, appID: try bench.secrets.text(settings.appId))
        } catch {
            throw bench.failure(error, remote, field: field)
        }
    }

    /// Runs all checks.
    ///
    /// - Throws: ``Failure`` with `usage` when both remotes are one server.
    func look() async throws(Failure) -> Outcome {
        let place = try await domain.look()
        let isMoved = place.isMoved
        var found = Findings()
        found.all = HealthCheck(bench: bench, desired: desired).profiles()
        if desired.deviceProfiles.isEmpty { found.all.append(.todo(Reason(.deviceProfiles), Reason(.noProfiles))) }
        if places.old.appID != places.new.appID {
            let names = [places.new.appID, old.name, places.old.appID].map(Reason.Value.text)
            found.all.append(.todo(Reason(.remote, .text(new.name)), Reason(.otherApp, names[0], names[1], names[2])))
        }
        found.all += place.findings
        let here = await side(new, &found)
        // Once the domain has been moved, the old service or its address may be gone.
        let there = place.isOldGone ? nil : await side(old, &found, isNeeded: !isMoved)
        var campaigns = (unheld: [String](), held: [String]())
        if let there { found.add(Self.waiting(at: there), to: .hold) }
        var (isCopied, arrived) = (here != nil, 0)
        if let here {
            let reach = await profiles(of: there, at: here, &found)
            if let there {
                let comparison = MigrationComparison(there: there, here: here)
                let audiences = audiences(there, here, reach)
                found.add(await comparison.findings(isMoved ? nil : audiences), to: .copy)
                found.add([comparison.ledger(copiedBy: (old.name, new.name))], to: .ledger)
                if let reach { found.add(await lag(there, here, reach, isMoved: isMoved), to: .copy) }
            } else {
                isCopied = isMoved
                if !here.isLedgerKnown { found.open.insert(.ledger) }
            }
            campaigns = await dueCampaigns(at: there, here, isMoved: isMoved, &found)
            if isMoved { arrived = await arrivals(at: here, besides: there, &found) }
        }
        if let there, !isMoved { found.all += Self.clients(of: there) }
        if !isCopied { found.open.insert(.copy) }
        if !isMoved { found.open.insert(.domain) }
        if arrived == 0 { found.open.insert(.arrivals) }
        if !isMoved || !campaigns.held.isEmpty { found.open.insert(.release) }
        return outcome(found, campaigns, isMoved: isMoved, isOldThere: there != nil)
    }

    private func outcome(
        _ found: Findings, _ campaigns: (unheld: [String], held: [String]), isMoved: Bool, isOldThere: Bool
    ) -> Outcome {
        let first = found.all.first { $0.severity == .error }
        let next =
            if let first {
                Reason(.says, .reason(first.subject), .reason(first.message))
            } else if isMoved {
                Reason(.pullAndRemove, .text(old.name))
            } else {
                Reason(.pointDomain, .text(domain.name))
            }
        return Outcome(
            findings: found.all, state: first != nil ? .preparing : isMoved ? .moved : .ready, next: next,
            done: Set(TurnStep.allCases).subtracting(found.open), campaigns: campaigns, isOldThere: isOldThere)
    }

    /// Connects to a remote and reads everything needed for the comparison; nil when that fails, which is reported as
    /// an error if the remote is needed and as a warning otherwise.
    private func side(_ remote: RemoteDeclaration, _ found: inout Findings, isNeeded: Bool = true) async
        -> MigrationSide?
    {
        let subject = Reason(.remote, .text(remote.name))
        do {
            let connected = try await bench.connect(remote, workspace: desired.identityName)
            guard let reader = connected.reader as? any RemoteImporting else {
                throw Failure(.invalid, "it is of a type that cannot be moved")
            }
            let side = try await MigrationSide(reader)
            found.all.append(
                .fine(
                    subject,
                    Reason(
                        .titleCounts, .text(reader.description.title), .count(side.audience.devices),
                        .count(side.audience.leftOut[.stale] ?? 0))))
            return side
        } catch {
            let failure = error as? Failure
            let status = failure?.status ?? (error as? RemoteError).map { .of($0) } ?? .failed
            let reason = failure?.summary ?? "\(error)"
            found.all.append(
                isNeeded
                    ? .error(subject, .verbatim(reason), status)
                    : .warning(subject, Reason(.cannotCompare, .text(reason))))
        }
        return nil
    }
}

extension HealthCheck.Finding {
    /// Creates a finding about something to do before the domain is moved.
    static func todo(_ subject: Reason, _ message: Reason) -> Self { .error(subject, message, .blocked) }
}

// MARK: - Devices

extension Migration {
    /// Returns findings on the new server's routes to devices' services, and how it reaches devices.
    private func profiles(
        of there: MigrationSide?, at here: MigrationSide, _ found: inout Findings
    ) async -> ServerReach? {
        let subject = Reason(.remote, .text(new.name))
        do throws(RemoteError) {
            let reach = try await here.reader.serverReach()
            guard reach.isReal, !reach.deviceProfiles.isEmpty else {
                found.all.append(.todo(subject, reach.isReal ? Reason(.reachesNone) : Reason(.simulates)))
                return reach
            }
            let names = reach.deviceProfiles.sorted().joined(separator: ", ")
            found.all.append(.fine(subject, Reason(.pushesBy, .text(names))))
            for profile in desired.deviceProfiles where !reach.deviceProfiles.contains(profile.name) {
                found.all.append(
                    .todo(Reason(.deviceProfile, .text(profile.name)), Reason(.noCredential, .text(new.name))))
            }
            if let there { found.all += try await bearers(of: there, reach) }
            return reach
        } catch {
            found.all.append(.error(subject, .verbatim(error.description), .of(error)))
            return nil
        }
    }

    /// Returns findings on profiles that devices have but the workspace does not declare, and on devices without a way.
    private func bearers(of there: MigrationSide, _ reach: ServerReach) async throws(RemoteError) -> [Finding] {
        let declared = Set(desired.deviceProfiles.flatMap { [$0.name, $0.installations] })
        let sample = try await there.reader.sampleInstallations(channels: [], deviceProfiles: [])
        let bearers = there.audience.deviceProfiles.merging(sample.deviceProfiles, uniquingKeysWith: max)
        var findings: [Finding] = []
        for name in bearers.keys.sorted() where !name.isEmpty && !declared.contains(name) {
            // On Android devices the field holds names of vendor settings.
            let count = try await there.reader.count(["$and": [MigrationSide.apple, ["deviceProfile": .string(name)]]])
            guard count.devices > 0 else { continue }
            findings.append(
                .todo(Reason(.deviceProfile, .text(name)), Reason(.profileUndeclared, .count(count.devices))))
        }
        let isNotApple: JSONValue = ["deviceType": ["$nin": LeanCloudReader.appleTypes]]
        let isLost = LeanCloudReader.isNotReached(reach.ways ?? ["apple"])
        let others = try await there.reader.count(LeanCloudReader.narrowed(isNotApple, by: isLost)).devices
        if others > 0 {
            let isAccepted = desired.migration.accept.contains(.androidWithoutWay)
            findings.append(
                isAccepted
                    ? .warning(.verbatim("Android"), Reason(.withoutWayAccepted, .count(others)))
                    : .todo(.verbatim("Android"), Reason(.withoutWay, .count(others))))
        }
        return findings
    }

    /// Returns findings on the devices that will register by themselves, and those known from the copy only.
    private static func clients(of there: MigrationSide) -> [Finding] {
        let soon = there.seen.month
        let late = max(0, there.audience.devices - soon)
        return [.fine(Reason(.clients), Reason(.willRegister, .count(soon), .count(late)))]
    }

    /// Returns findings on devices registering with the new server, and how many of the newest have.
    private func arrivals(at here: MigrationSide, besides there: MigrationSide?, _ found: inout Findings) async -> Int {
        guard here.audience.devices > 0 else {
            found.add([.todo(Reason(.devices), Reason(.hasNoDevice))], to: .arrivals)
            return 0
        }
        let count = here.seen.day
        let subject = Reason(.registrations)
        do throws(RemoteError) {
            let arrived = if let there { try await registered(at: here, besides: there) } else { count }
            found.all.append(
                arrived > 0 && there != nil
                    ? .fine(subject, Reason(.haveArrived, .count(arrived)))
                    : count > 0
                        ? .fine(subject, Reason(.seenToday, .count(count)))
                        : .warning(subject, Reason(.seenTodayCheck, .count(count))))
            return arrived
        } catch {
            found.all.append(.warning(subject, Reason(.cannotCompare, .text(error.description))))
            return 0
        }
    }

    /// The number of the newest devices here that registered here and were not copied.
    private func registered(at here: MigrationSide, besides there: MigrationSide) async throws(RemoteError) -> Int {
        // Many: as long as some clients remember the old address, what is copied of them can be newer.
        let newest = try await here.reader.installations([:], limit: 1000)
        let before = try await there.devices(newest.compactMap { $0["objectId"]?.string })
        return newest.count { device in
            guard let old = before[device["objectId"]?.string ?? ""]?["updatedAt"]?.instant else { return true }
            return device["updatedAt"]?.instant.map { $0 > old } ?? false
        }
    }

    /// Returns the finding on the devices that registered with the old service after they were copied.
    private func lag(
        _ there: MigrationSide, _ here: MigrationSide, _ reach: ServerReach, isMoved: Bool
    ) async -> [Finding] {
        let subject = Reason(.lag)
        do throws(RemoteError) {
            let newest = try await here.reader.installations([:], limit: 1).first?["updatedAt"]?.instant
            // After the turn the newest device is of the new server's own.
            guard let since = reach.copiedUntil ?? (isMoved ? nil : newest) else { return [] }
            let isReachable: JSONValue = [
                "$or": [["deviceToken": ["$exists": true]], ["installationId": ["$exists": true]]]
            ]
            let later = LeanCloudReader.narrowed(isReachable, by: MigrationSide.written("$gt", since))
            let lost = try await there.reader.count(later).devices
            let age = there.now - since
            let isInStep = lost == 0 || reach.copiedUntil != nil && age < Self.inStep
            let message =
                if reach.copiedUntil == nil {
                    lost == 0 ? nil : Reason(.wouldBeLostUnknown, .count(lost))
                } else {
                    lost == 0 ? Reason(.noneLost, .age(age)) : Reason(.wouldBeLost, .count(lost), .age(age))
                }
            guard let message else { return [] }
            if isInStep { return [.fine(subject, message)] }
            let advised = Reason(.says, .reason(message), .reason(Reason(.follow)))
            return [isRehearsal ? .todo(subject, advised) : .warning(subject, advised)]
        } catch {
            return [.error(subject, .verbatim(error.description), .of(error))]
        }
    }

    /// The lag of a copy that a turn can do with.
    private static let inStep = Duration.seconds(60)
}
