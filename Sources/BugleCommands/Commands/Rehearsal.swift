internal import Base
internal import Delivery
internal import LeanCloud
internal import Push

// MARK: - Audiences

extension Migration {
    /// The most audiences that are compared when nothing is rehearsed.
    private static let mostAudiences = 100

    /// Prepares the comparison of whom channels, segments and campaigns reach on both sides.
    func audiences(
        _ there: MigrationSide, _ here: MigrationSide, _ reach: ServerReach?
    ) -> () async throws(RemoteError) -> [Finding] {
        let reach = reach ?? ServerReach(isReal: false, deviceProfiles: [])
        let usable = desired.deviceProfiles.filter { reach.deviceProfiles.contains($0.name) }.map(\.installations)
        let comparison = AudienceComparison(
            there: there, here: here, reach: reach, policy: desired.migration, isThorough: isRehearsal,
            profiles: Set(usable).union(reach.deviceProfiles))
        let all = conditions
        // A list of devices that no fence narrows is no condition.
        let listing = isRehearsal ? meant.filter { !$0.audience.devices.isEmpty && $0.fence == nil } : []
        let most = isRehearsal ? all.count : min(all.count, Self.mostAudiences)
        return { () async throws(RemoteError) in
            var findings: [Finding] = []
            for (subject, condition) in all.prefix(most) {
                if let finding = try await comparison.finding(about: subject, condition) { findings.append(finding) }
            }
            for campaign in listing {
                findings.append(
                    try await comparison.finding(
                        about: Reason(.campaignNamed, .text(campaign.name)), listedBy: campaign.audience))
            }
            if findings.isEmpty, most > 0 {
                findings.append(.fine(Reason(.audiences), Reason(.reachAlike, .count(most), .count(all.count))))
            }
            return findings
        }
    }

    /// The campaigns of one of the two remotes, as the new service would be asked to send them.
    private var meant: [Campaign] {
        desired.bound(to: new.name).campaigns.filter { $0.isMeant(for: old.name) || $0.isMeant(for: new.name) }
    }

    /// Everything that chooses devices, with its condition; in a rehearsal all devices, too.
    private var conditions: [(subject: Reason, condition: JSONValue)] {
        let encoder = new.type.encoder
        var all: [Reason: JSONValue] = [:]
        for channel in desired.channels where channel.broadcast == nil {
            all[Reason(.channelNamed, .text(channel.name))] = ["channels": .string(channel.name)]
        }
        for segment in desired.segments { all[Reason(.segmentNamed, .text(segment.name))] = segment.condition }
        let bound = desired.bound(to: new.name)
        for campaign in meant {
            let request = Checker.request(of: campaign, in: bound, encoder: encoder).request
            if let condition = encoder.audience(of: request) {
                all[Reason(.campaignNamed, .text(campaign.name))] = condition
            }
        }
        let sorted = all.sorted { $0.key < $1.key }.map { (subject: $0.key, condition: $0.value) }
        let everybody = (subject: Reason(.devices), condition: [:] as JSONValue)
        return (isRehearsal ? [everybody] : []) + sorted
    }
}

// MARK: - Campaigns

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
            $0.state == .sending || $0.state == .cancelling || $0.state == .unknown || $0.isStopped
        }
        if let first = open.first {
            findings.append(
                .todo(
                    Reason(.ledger),
                    Reason(.notSettled, .count(open.count), .text("\(first.campaign)@\(first.revision)"))))
        }
        return findings
    }

    /// Returns the campaigns that an apply would send while the domain moves, and those that are held; in a rehearsal
    /// the new server renders those that are due.
    func dueCampaigns(
        at there: MigrationSide?, _ here: MigrationSide, isMoved: Bool, _ found: inout Findings
    ) async -> (unheld: [String], held: [String]) {
        let subject = Reason(.campaignKind)
        do throws(RemoteError) {
            let due = try await campaigns(at: here, of: new) { change in
                change.action != .none && change.action != .missed
                    && change.blocked.allSatisfy { $0.rule == .newLedger }
            }
            let onHold = Set(desired.campaigns.filter(\.hold).map(\.name))
            let held = due.filter(onHold.contains)
            if isRehearsal {
                for name in due { found.all += await rendered(name, at: here) }
            }
            guard let there, !isMoved else { return ([], held) }
            // What keeps it now, such as quiet hours or its time, may be over while the domain moves.
            let unheld = try await campaigns(at: there, of: old) { change in
                switch change.action {
                case .send, .schedule, .reschedule, .resume: true
                case .wait: !onHold.contains(change.name)
                case .create, .update: change.occurrences?.next.isEmpty == false && !onHold.contains(change.name)
                case .delete, .cancel, .missed, .none: false
                }
            }
            found.add(
                [
                    unheld.isEmpty
                        ? .fine(subject, Reason(.campaignsHeld))
                        : .todo(subject, Reason(.notHeld, .text(unheld.joined(separator: ", "))))
                ], to: .hold)
            return (unheld, held)
        } catch {
            found.add([.error(subject, .verbatim(error.description), .of(error))], to: .hold)
            return ([], [])
        }
    }

    /// The campaigns for which a plan has a change that is meant.
    private func campaigns(
        at side: MigrationSide, of remote: RemoteDeclaration, _ isMeant: (Change) -> Bool
    ) async throws(RemoteError) -> [String] {
        let description = side.reader.description
        func input(_ state: RemoteState) -> PlanInput {
            PlanInput(
                desired: desired, remote: description, capabilities: remote.type.capabilities,
                encoder: remote.type.encoder, state: state)
        }
        let state = try await side.reader.observe(from: side.state) { Planner.questions(input($0)) }
        let changes = Planner.plan(input(state)).plan.changes.filter { $0.kind == .campaign && isMeant($0) }
        return Set(changes.map(\.name)).sorted()
    }

    /// Returns the finding on how the new server would send a campaign.
    private func rendered(_ name: String, at here: MigrationSide) async -> [Finding] {
        let desired = desired.bound(to: new.name)
        guard let campaign = desired.campaigns.first(where: { $0.name == name }) else { return [] }
        let subject = Reason(.campaignNamed, .text(name))
        let request = Checker.request(of: campaign, in: desired, encoder: new.type.encoder).request
        var findings: [Finding] = []
        do throws(RemoteError) {
            let ways = try await here.reader.rendering(of: request)
            if let said = Reason.joined(ways.map(\.reason), by: .both) {
                findings.append(.fine(subject, Reason(.renders, .reason(said))))
            }
        } catch {
            findings.append(
                error.kind == .refused
                    ? .todo(subject, Reason(.wouldBeRefused, .text(error.description)))
                    : .error(subject, .verbatim(error.description), .of(error)))
        }
        if dryRunsVendors { findings += await VendorDryRun(bench: bench, desired: desired).findings(campaign, subject) }
        return findings
    }
}

extension RenderedPush {
    /// The way with its bytes: `Apple 312 of 4,096 bytes`.
    fileprivate var reason: Reason {
        let title = Reason.Value.text(way == "apple" ? "Apple" : PushVendor(rawValue: way)?.title ?? way)
        return limit.map { Reason(.wayBytesOf, title, .count(bytes), .count($0)) }
            ?? Reason(.wayBytes, title, .count(bytes))
    }
}

/// Lets the vendors that have a dry run check a campaign's message: no device gets it.
struct VendorDryRun: Sendable {
    let bench: Workbench
    let desired: Workspace

    /// The vendors whose documents name a dry run. Source: docs/background/android.md#vendors-messages.
    private static let vendors: Set<PushVendor> = [.fcm, .hms]

    /// Returns a finding for each profile of such a vendor.
    func findings(_ campaign: Campaign, _ subject: Reason) async -> [HealthCheck.Finding] {
        let profiles = desired.deviceProfiles.filter { Self.vendors.contains($0.vendor) }
        guard !profiles.isEmpty else { return [] }
        let direct = self.direct
        let strangers: [Diagnostic] =
            direct.map { bench.untrusted($0.remote, profiles) }
            ?? TrustedHosts(environment: bench.environment)?.findings(profiles, hosts: [:], secrets: bench.secrets)
            ?? []
        guard strangers.isEmpty else { return strangers.map { .error(subject, .verbatim($0.message), .invalid) } }
        let request = Checker.request(of: campaign, in: desired, encoder: APNsEncoder()).request
        guard let order = try? DeliveryOrder(request.body) else { return [] }
        let pool = APNsAccess.senderPool(
            profiles, bench,
            SenderPool.Settings(
                endpoints: APNsEndpoints(hosts: direct?.hosts ?? [:]),
                caFile: direct.flatMap { bench.caFile(of: $0.remote) }, timeout: .seconds(30)))
        var findings: [HealthCheck.Finding] = []
        for route in order.routes where Self.vendors.contains(route.vendor) {
            let vendor = Reason.Value.text(route.vendor.title)
            let id = APNsID(delivery: RandomName.make(), token: Self.nobody)
            var (notification, target) = order.single(
                for: route, to: Self.nobody, id: id, startingAt: Workbench.localNow)
            notification.becomeDryRun()
            do throws(SenderError) {
                let sender = try await pool.senders().sender(for: route.profile)
                let answer = await sender.send(notification, to: [target], through: OpenGate()).first
                findings.append(Self.finding(answer ?? .unknown(""), of: vendor, subject))
            } catch {
                let reason = Reason(.noDryRun, vendor, .text(error.description))
                // A wrong secret would keep the campaign from this vendor's devices.
                let isPassing = error.isTransient || error.isOfTheMachine
                findings.append(isPassing ? .warning(subject, reason) : .todo(subject, reason))
            }
        }
        await pool.close()
        return findings
    }

    /// An address that no device has.
    private static let nobody = "nobody"

    /// A remote that goes straight to the vendors, with the addresses that stand for their own there; nil without one.
    private var direct: (remote: RemoteDeclaration, hosts: [String: String])? {
        for remote in desired.remotes.values.sorted(by: { $0.name < $1.name }) {
            if case .apns(let settings) = remote.service { return (remote, settings.hosts) }
        }
        return nil
    }

    private static func finding(_ answer: Verdict, of vendor: Reason.Value, _ subject: Reason) -> HealthCheck.Finding {
        switch answer {
        case .accepted: return .fine(subject, Reason(.takesDryRun, vendor))
        case .refused(.service(let reason, _)):
            switch reason.row.decision {
            // Only the address, which nobody has, is wrong with it.
            case .dropToken, .dropTokenIfEnvironmentIsRight, .refuseToken:
                return .fine(subject, Reason(.takesDryRun, vendor))
            case .retry, .wait, .stopUntil, .reconnect:
                return .warning(subject, Reason(.noDryRun, vendor, .text(reason.explanation)))
            // Another access token was refused as well.
            case .giveUp, .renew: return .todo(subject, Reason(.refusesDryRun, vendor, .text(reason.explanation)))
            }
        case .refused(let proof), .notSent(let proof):
            return .warning(subject, Reason(.noDryRun, vendor, .text(proof.explanation)))
        case .unknown(let reason): return .warning(subject, Reason(.noDryRun, vendor, .text(reason)))
        }
    }
}

extension PushNotification {
    /// Makes it one that the vendor checks and delivers to nobody.
    fileprivate mutating func becomeDryRun() {
        switch body {
        case .message(var message, let life, let id):
            message[VendorMessage.dryRun] = true
            body = .message(message, life: life, id: id)
        case .filled(var pieces) where !pieces.isEmpty:
            pieces[0] = Array(#"{"validate_only":true,"#.utf8) + pieces[0].dropFirst()
            body = .filled(pieces)
        case .same(let bytes): body = .same(Array(#"{"validate_only":true,"#.utf8) + bytes.dropFirst())
        case .filled: break
        }
    }
}
