internal import Base
internal import Apply
internal import Push

/// A remote of a workspace, for commands that neither plan nor apply.
struct RemoteAccess: Sendable {
    var bench: Workbench
    let desired: Workspace
    let declaration: RemoteDeclaration
    let connected: Workbench.Connected

    /// Reads the workspace and connects.
    ///
    /// - Throws: ``Failure`` when the workspace, the remote or its credentials cannot be used.
    init(_ common: CommonOptions, _ remote: RemoteOptions) async throws {
        try await self.init(try await Workbench(common), named: remote.remote)
    }

    /// Connects to a remote of a workspace that has been read.
    ///
    /// - Throws: ``Failure`` when the remote or its credentials cannot be used.
    init(_ workbench: Workbench, named name: String?) async throws {
        bench = workbench
        desired = try bench.desired()
        declaration = try bench.remote(named: name, in: desired)
        try bench.check(declaration, desired)
        connected = try await bench.connect(declaration, workspace: desired.identityName)
    }

    /// Reads the ledger, whose deliveries bear their campaigns' names in the files.
    func ledger() async throws -> [LedgerEntry] {
        let names = CampaignNames(desired)
        return try await connected.reader.ledger().map(names.adopting)
    }

    /// Returns the deliveries of a campaign, named as it is now or as it was.
    ///
    /// - Throws: ``Failure`` with `usage` when neither the files nor the ledger have it.
    func deliveries(of campaign: String, in ledger: [LedgerEntry]) throws -> [LedgerEntry] {
        let isDeclared = desired.campaigns.contains { $0.name == campaign }
        let found = ledger.filter { $0.campaign == campaign || !isDeclared && $0.formerly.contains(campaign) }
        guard isDeclared || !found.isEmpty else {
            throw Failure(.usage, "neither the files nor the ledger know a campaign '\(campaign)'")
        }
        return found
    }

    /// Runs a closure while holding the lock.
    ///
    /// - Throws: ``Failure`` with `locked` when somebody else holds it; `RemoteError` when a request fails.
    func underLock<Result: Sendable>(
        _ body: (any RemoteWriting, Lease, Provenance) async throws -> Result
    ) async throws -> Result {
        let provenance = await ApplyProvenance(
            environment: bench.environment, folder: bench.loaded.folder, revision: nil)
        let writer = try await connected.makeWriter(TaskPause())
        let began = ContinuousClock.now
        let taking = LockAcquisition(
            writer: writer, pausing: TaskPause(),
            options: ApplyOptions(holder: provenance.holder, run: RandomName.make()),
            elapsed: { ContinuousClock.now - began }, report: { _ in })
        switch try await taking.take() {
        case .stopped: throw Failure(.failed)
        case .held(let record, _):
            throw Failure(
                .locked,
                "\(declaration.name) is locked by \(record.holder) (run \(record.run)). If that apply is dead, free it: "
                    + "bugle unlock \(record.fence)")
        case .taken(let keeper):
            let result: Swift.Result<Result, any Error>
            do {
                result = .success(try await body(writer, await keeper.lease, provenance.provenance))
            } catch {
                result = .failure(error)
            }
            do throws(RemoteError) {
                try await keeper.free()
            } catch {
                // What was done is done, or failed for its own reason.
                guard error.kind != .ledgerLost else {
                    _ = try result.get()
                    throw error
                }
                bench.console.say("bugle: warning: \(error.description)")
            }
            return try result.get()
        }
    }
}
