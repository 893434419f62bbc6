internal import Delivery
internal import Base
internal import Push

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
                        .count(side.audience.skipped[.stale] ?? 0))))
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
