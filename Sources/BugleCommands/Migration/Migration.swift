internal import Diagnostics
internal import PushCredentials
internal import PushModel
internal import PushPlan
internal import PushRemote

/// Looks at everything that a move from LeanCloud's service to a server of one's own depends on.
struct Migration: Sendable {
    typealias Finding = Examination.Finding

    /// How far the move is.
    enum State: String, Sendable {
        /// Something is left to do before the domain may be moved.
        case preparing
        /// The domain may be moved.
        case ready
        /// The domain leads to the new server.
        case moved
    }

    /// What was found.
    struct Outcome: Sendable {
        let findings: [Finding]
        let state: State
        /// What to do now, one sentence.
        let next: String

        /// How it ends, for people.
        var text: String {
            switch state {
            case .preparing: "Next: \(next)"
            case .ready: "The domain may be moved. Next: \(next)"
            case .moved: "The domain has been moved. Next: \(next)"
            }
        }
    }

    let bench: Workbench
    let desired: Workspace
    private let old: RemoteDeclaration
    private let new: RemoteDeclaration
    private let domain: MovingDomain

    /// Reads the workspace; nothing is asked yet.
    ///
    /// - Throws: ``Failure`` when it, or one of the remotes, cannot be used.
    init(_ workbench: Workbench, from: String, to: String, domain: String?) async throws {
        var bench = workbench
        desired = try bench.desired()
        old = try bench.remote(named: from, in: desired)
        new = try bench.remote(named: to, in: desired)
        try bench.check(old, desired)
        try bench.check(new, desired)
        self.domain = try MovingDomain(
            bench, name: domain, old: try Self.address(of: old, bench), new: try Self.address(of: new, bench),
            caFile: bench.caFile(of: new))
        self.bench = bench
    }

    private static func address(of remote: RemoteDeclaration, _ bench: Workbench) throws -> String {
        guard case .leancloud(let settings) = remote.service else {
            throw Failure(
                .usage,
                "\(remote.name) is no service but a registry: name the remote that leads to the server's address")
        }
        do {
            return try bench.secrets.text(settings.url)
        } catch {
            throw Failure(.credentials, "\(remote.name): \(error.reason)")
        }
    }

    /// Looks at everything.
    func look() async -> Outcome {
        let isMoved = await domain.isMoved()
        var findings = Examination(bench: bench, desired: desired).profiles()
        if desired.deviceProfiles.isEmpty {
            findings.append(
                .todo(
                    "deviceProfiles",
                    "the workspace has none: declare the certificates or keys that push to Apple's devices"))
        }
        let here = await side(new, &findings)
        if isMoved {
            findings += await domain.afterMoving()
            if let here { findings += await Self.arrivals(at: here) }
        } else {
            // Once it has been moved the old service may be gone, or out of reach.
            if let there = await side(old, &findings) {
                findings += Self.waiting(at: there)
                findings += await profiles(of: there)
                if let here { findings += await Self.comparison(there, here) }
                findings += await Self.clients(of: there)
            }
            findings += await domain.beforeMoving()
        }
        let first = findings.first { $0.severity == .error }
        let again = "run 'bugle-server pull' once more, from an address that still leads to LeanCloud"
        let next =
            if let first {
                "\(first.subject): \(first.message)"
            } else if isMoved {
                "\(again), and remove the remote \(old.name)"
            } else {
                "lead \(domain.name) to the new server, \(again), and run 'bugle migrate' again"
            }
        return Outcome(
            findings: findings, state: isMoved ? .moved : first == nil ? .ready : .preparing, next: next)
    }

    /// Connects to a remote and asks it everything that both are compared by; nil when it cannot be asked.
    private func side(_ remote: RemoteDeclaration, _ findings: inout [Finding]) async -> MigrationSide? {
        let subject = "remote \(remote.name)"
        do {
            let connected = try await bench.connect(remote, workspace: desired.name, retries: 2)
            let side = try await MigrationSide(connected.reader)
            findings.append(
                .fine(
                    subject,
                    "\(connected.reader.description.title): \(grouped(side.audience.devices)) devices get pushes, "
                        + "\(grouped(side.audience.skipped[.stale] ?? 0)) were not seen for three months"))
            return side
        } catch let failure as Failure {
            findings.append(.error(subject, failure.message ?? "it cannot be used", failure.status))
        } catch let error as RemoteError {
            findings.append(.error(subject, error.description, .of(error)))
        } catch {
            findings.append(.error(subject, "\(error)"))
        }
        return nil
    }
}

extension Examination.Finding {
    /// Something that is left to do before the domain is moved.
    static func todo(_ subject: String, _ message: String) -> Self { .error(subject, message, .blocked) }
}
