internal import ArgumentParser
internal import Base
internal import Delivery
internal import Push

/// Shows the state of a migration from LeanCloud and the next step.
struct MigrateCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "migrate", abstract: "Shows what is done and what is next in the move off LeanCloud.",
        discussion: """
            EXAMPLE
              bugle migrate --from leancloud --to apple

            Looks at the live app, at the new server, at the domain that apps call and at the workspace, and changes \
            nothing anywhere. Run it again after each step; the next step is printed last.

            Ends with 0 when the domain may be moved, and again when it has been; with 6 while something is left to do \
            before. A remote that cannot be asked, a credential that is wrong or a file with an error has its own code.
            """)

    @Option(
        help: ArgumentHelp("The remote that is LeanCloud's service.", valueName: "REMOTE"),
        completion: WorkspaceNames.remotes)
    var from: String

    @Option(
        help: ArgumentHelp("The remote that is the new server, by an address of its own.", valueName: "REMOTE"),
        completion: WorkspaceNames.remotes)
    var to: String

    @Option(
        help: ArgumentHelp("The domain that apps call, or its address. Default: that of --from.", valueName: "HOST"))
    var domain: String?

    @OptionGroup var formats: FormatOptions<PlainForms>

    @OptionGroup var common: CommonOptions

    func validate() throws {
        if from == to { throw ValidationError("--from and --to name the same remote") }
    }

    func run() async throws {
        try await running(common, formats: formats.requested) {
            let migration = try await Migration(try await Workbench(common), from: from, to: to, domain: domain)
            let outcome = try await migration.look()
            for format in formats.requested {
                outcome.findings.write(
                    as: format, migration.bench.console, in: migration.bench.printing.language, last: outcome.closing,
                    more: ["state": .string(outcome.state.rawValue), "next": .string(outcome.next.text)])
            }
            return .combined(outcome.findings.map(\.status))
        }
    }
}

/// Checks everything that a migration from LeanCloud to the user's own server depends on.
struct Migration: Sendable {
    typealias Finding = HealthCheck.Finding

    /// The progress of a migration.
    enum State: String, Sendable {
        /// Something remains to be done, before or after the domain is moved.
        case preparing
        /// The domain can be moved.
        case ready
        /// The domain points to the new server.
        case moved
    }

    /// The result of the checks.
    struct Outcome: Sendable {
        let findings: [Finding]
        let state: State
        /// The next step.
        let next: Reason

        /// The closing line.
        var closing: Reason {
            switch state {
            case .preparing: Reason(.next, .reason(next))
            case .ready: Reason(.nextReady, .reason(next))
            case .moved: Reason(.nextMoved, .reason(next))
            }
        }
    }

    let bench: Workbench
    let desired: Workspace
    private let old: RemoteDeclaration
    let new: RemoteDeclaration
    private let domain: MovingDomain

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
        let addresses = (old: try Self.address(of: old, bench), new: try Self.address(of: new, bench))
        guard Authority(of: addresses.old) != Authority(of: addresses.new) else {
            throw Failure(.usage, "\(from) and \(to) have the same address: there is nothing to move")
        }
        self.domain = try MovingDomain(
            name: domain, old: addresses.old, new: addresses.new, caFile: bench.caFile(of: new))
        self.bench = bench
    }

    private static func address(of remote: RemoteDeclaration, _ bench: Workbench) throws -> String {
        guard case .leancloud(let settings) = remote.service else {
            throw Failure(
                .usage,
                "\(remote.name) is a registry, not a service: name the remote with the server's address")
        }
        do {
            return try bench.secrets.text(settings.url)
        } catch {
            throw bench.failure(error, remote, field: "url")
        }
    }

    /// Runs all checks.
    ///
    /// - Throws: ``Failure`` with `usage` when both remotes are one server.
    func look() async throws(Failure) -> Outcome {
        let place = try await domain.look()
        let isMoved = place.isMoved
        var findings = HealthCheck(bench: bench, desired: desired).profiles()
        if desired.deviceProfiles.isEmpty {
            findings.append(.todo(Reason(.deviceProfiles), Reason(.noProfiles)))
        }
        findings += place.findings
        let here = await side(new, &findings)
        // Once the domain has been moved, the old service or its address may be gone.
        let there = place.isOldGone ? nil : await side(old, &findings, isNeeded: !isMoved)
        if let there { findings += Self.waiting(at: there) }
        if let here {
            findings += await profiles(of: there, at: here)
            if let there {
                findings += await MigrationComparison(there: there, here: here).findings(for: isMoved ? nil : desired)
            }
            if isMoved { findings += Self.arrivals(at: here) }
        }
        if let there, !isMoved { findings += Self.clients(of: there) }
        let first = findings.first { $0.severity == .error }
        let next =
            if let first {
                Reason(.says, .reason(first.subject), .reason(first.message))
            } else if isMoved {
                Reason(.pullAndRemove, .text(old.name))
            } else {
                Reason(.pointDomain, .text(domain.name))
            }
        return Outcome(
            findings: findings, state: first != nil ? .preparing : isMoved ? .moved : .ready, next: next)
    }

    /// Connects to a remote and reads everything needed for the comparison; nil when that fails, which is reported as
    /// an error if the remote is needed and as a warning otherwise.
    private func side(
        _ remote: RemoteDeclaration, _ findings: inout [Finding], isNeeded: Bool = true
    ) async -> MigrationSide? {
        let subject = Reason(.remote, .text(remote.name))
        do {
            let connected = try await bench.connect(remote, workspace: desired.identityName, retries: 2)
            guard let reader = connected.reader as? any RemoteImporting else {
                throw Failure(.invalid, "it is of a type that cannot be moved")
            }
            let side = try await MigrationSide(reader)
            findings.append(
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
            findings.append(
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

    static func fine(_ subject: Reason, _ message: Reason) -> Self {
        Self(subject: subject, severity: .fine, message: message)
    }

    static func warning(_ subject: Reason, _ message: Reason) -> Self {
        Self(subject: subject, severity: .warning, message: message)
    }

    static func error(_ subject: Reason, _ message: Reason, _ status: ExitStatus) -> Self {
        Self(subject: subject, severity: .error, message: message, status: status)
    }
}

// MARK: - Findings

extension Migration {
    /// Returns findings about pushes and applies that are still pending on the old service.
    static func waiting(at there: MigrationSide) -> [Finding] {
        var findings: [Finding] = []
        if let lock = there.lock, lock.isHeld(at: there.now) {
            findings.append(.todo(.verbatim("apply"), Reason(.isApplying, .text(lock.holder))))
        }
        if let last = there.scheduled.map(\.at).max() {
            findings.append(
                .todo(Reason(.pendingPushes), Reason(.pushesWait, .count(there.scheduled.count), .instant(last))))
        } else {
            findings.append(.fine(Reason(.pendingPushes), Reason(.nonePending)))
        }
        let open = there.ledger.filter {
            $0.state == .sending || $0.state == .cancelling || $0.state == .unknown || $0.state.isStopped
        }
        if let first = open.first {
            findings.append(
                .todo(
                    Reason(.ledger),
                    Reason(.notSettled, .count(open.count), .text("\(first.campaign)@\(first.revision)"))))
        }
        return findings
    }

    /// Returns findings on the new server's routes to Apple, based on the devices' profiles.
    func profiles(of there: MigrationSide?, at here: MigrationSide) async -> [Finding] {
        let subject = Reason(.remote, .text(new.name))
        do throws(RemoteError) {
            let reach = try await here.reader.serverReach()
            guard reach.isReal else {
                return [.todo(subject, Reason(.simulates))]
            }
            guard !reach.deviceProfiles.isEmpty else {
                return [.todo(subject, Reason(.reachesNone))]
            }
            let names = reach.deviceProfiles.sorted().joined(separator: ", ")
            var findings = [Finding.fine(subject, Reason(.pushesBy, .text(names)))]
            for profile in desired.deviceProfiles where !reach.deviceProfiles.contains(profile.name) {
                findings.append(
                    .todo(Reason(.deviceProfile, .text(profile.name)), Reason(.noCredential, .text(new.name))))
            }
            if let there { findings += try await bearers(of: there, besides: Set(desired.deviceProfiles.map(\.name))) }
            return findings
        } catch {
            return [.error(subject, .verbatim(error.description), .of(error))]
        }
    }

    /// Returns findings on profiles that devices have but the workspace does not declare.
    private func bearers(of there: MigrationSide, besides declared: Set<String>) async throws(RemoteError) -> [Finding]
    {
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
        let others = try await there.reader.count(MigrationSide.others).devices
        if others > 0 {
            findings.append(.warning(.verbatim("Android"), Reason(.androidKept, .count(others))))
        }
        return findings
    }

    /// Returns findings on the devices that will register by themselves, and those known from the copy only.
    static func clients(of there: MigrationSide) -> [Finding] {
        let soon = there[.month]
        let late = max(0, there.audience.devices - soon)
        return [.fine(Reason(.clients), Reason(.willRegister, .count(soon), .count(late)))]
    }

    /// Returns findings on devices registering with the new server.
    static func arrivals(at here: MigrationSide) -> [Finding] {
        guard here.audience.devices > 0 else {
            return [.todo(Reason(.devices), Reason(.hasNoDevice))]
        }
        let count = here[.day]
        return [
            count > 0
                ? .fine(Reason(.registrations), Reason(.seenToday, .count(count)))
                : .warning(Reason(.registrations), Reason(.seenTodayCheck, .count(count)))
        ]
    }
}
