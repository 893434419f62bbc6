internal import Base

/// The remarks of a plan beyond its changes: drift, unmanaged pushes, certificates, quotas, and manual steps.
struct StateRemarks {
    let input: PlanInput
    let steps: [Step]
    let certificates: [PlannedCertificate]

    func diagnostics() -> [PlanDiagnostic] {
        ledger() + unmanaged() + holdout()
            + CertificateReview(desired: input.desired, now: input.now).diagnostics(certificates) + manualSteps()
            + drift() + quotas()
    }

    private func ledger() -> [PlanDiagnostic] {
        guard input.state.ledger.isEmpty, !input.state.ledgerStarted, !input.hasUnknownPast, input.workspaceDoubt == nil
        else { return [] }
        return [PlanDiagnostic(.note, .emptyLedger, Reason(.nothingRecorded, .text(input.remote.name)))]
    }

    private func unmanaged() -> [PlanDiagnostic] {
        guard !input.state.scheduled.isEmpty else { return [] }
        let ours = Set(input.state.ledger.lazy.flatMap { $0.notificationIDs() })
        return input.state.scheduled.filter { !($0.notification.map(ours.contains) ?? false) }.map { push in
            PlanDiagnostic(.note, .unmanaged, Reason(.notOurs, .instant(push.at), .text(String(push.id))))
        }
    }

    /// A holdout other than that of the last delivery: those who got nothing get pushes again.
    private func holdout() -> [PlanDiagnostic] {
        guard input.capabilities.keepsJournal else { return [] }
        let entries = input.state.ledger.filter(\.mayHaveBeenDelivered)
        let wanted = input.desired.policy.holdout
        // Exempt deliveries hold out nobody, so they say nothing of a policy that still does.
        let known = wanted == nil ? entries : entries.filter { $0.holdout != nil }
        guard let last = known.max(by: { $0.attemptedAt < $1.attemptedAt }), let held = last.holdout,
            held.share != wanted?.share || held.salt != wanted?.salt
        else { return [] }
        let effect = Reason(
            held.salt == wanted?.salt
                ? .moreOrFewerHeld : wanted == nil ? .heldGetPushes : .heldGetPushesOthersNot)
        return [
            PlanDiagnostic(
                .warning, .holdoutChanged,
                Reason(
                    .holdoutChanged, .reason(wanted?.reason ?? Reason(.holdoutGone)), .text(last.title),
                    .reason(held.reason), .reason(effect)),
                at: input.desired.origin.range(of: wanted == nil ? ["policy"] : ["policy", "holdout"]),
                help: Reason(.measureEnds))
        ]
    }

    private func manualSteps() -> [PlanDiagnostic] {
        guard !input.capabilities.holdsResources else { return [] }
        return steps.compactMap { step in
            guard step.change.kind == .deviceProfile, step.change.action == .create || step.change.action == .update,
                step.change.before?["certificate"] != step.change.after?["certificate"]
                    || step.change.before?["key"] != step.change.after?["key"] || step.change.before == nil
            else { return nil }
            let print = step.change.after?["certificate"]?.string ?? step.change.after?["key"]?.string
            let place = input.desired.deviceProfiles.first { $0.name == step.change.name }?.origin.range(of: [])
            let task = Reason(input.state.isBugleServer ? .putCredential : .uploadCredential, .text(step.change.name))
            return PlanDiagnostic(
                .note, .manualStep, task.also(print.map { Reason(.fingerprint, .text($0)) }), at: place)
        }
    }

    /// The most names of one kind that are listed.
    private static let mostNamed = 12

    /// A note for each part that several edited campaigns use: it is what was edited, or they all were.
    static func parts(of edited: [Campaign]) -> [PlanDiagnostic] {
        var users: [String: [String]] = [:]
        for campaign in edited {
            for part in Set(campaign.parts) { users[part, default: []].append(campaign.name) }
        }
        return users.filter { $0.value.count > 1 }.sorted { $0.key < $1.key }.map { part, names in
            let listed = names.sorted().prefix(mostNamed).joined(separator: ", ")
            let touches = Reason(.partTouches, .text(part), .count(names.count), .text(listed))
            let rest = names.count - mostNamed
            return PlanDiagnostic(
                .note, .partEdited, rest > 0 ? Reason(.andMore, .reason(touches), .count(rest)) : touches)
        }
    }

    private func drift() -> [PlanDiagnostic] {
        guard let sample = input.state.installations else { return [] }
        let channels = Set(input.desired.channels.map(\.name))
        let profiles = Set(input.desired.deviceProfiles.map(\.installations))
        var found: [PlanDiagnostic] = []
        func undeclared(_ kind: ResourceKind, _ used: [String: Int], _ declared: Set<String>) {
            let names = used.filter { !declared.contains($0.key) }
                .sorted { ($1.value, $0.key) < ($0.value, $1.key) }
            guard let first = names.first else { return }
            let (kind, whole) = (Reason.Value.reason(kind.reason), Reason.Value.count(sample.size))
            guard names.count > 1 else {
                found.append(
                    PlanDiagnostic(
                        .note, .drift, Reason(.undeclared, kind, .text(first.key), .count(first.value), whole)))
                return
            }
            // One line for what other files may declare: an app often has many that are none of this workspace's.
            let listed = names.prefix(Self.mostNamed).map { "\($0.key) (\(grouped($0.value)))" }
            let (count, list) = (Reason.Value.count(names.count), Reason.Value.text(listed.joined(separator: ", ")))
            found.append(
                PlanDiagnostic(
                    .note, .drift,
                    names.count > listed.count
                        ? Reason(.undeclaredAndMore, count, kind, whole, list, .count(names.count - listed.count))
                        : Reason(.undeclaredMany, count, kind, whole, list)))
        }
        undeclared(.channel, sample.channels, channels)
        undeclared(.deviceProfile, sample.deviceProfiles, profiles)
        // The subscribers of an Apple broadcast channel are known to Apple only.
        for channel in input.desired.channels where channel.broadcast == nil && sample.subscribers[channel.name] == 0 {
            found.append(
                PlanDiagnostic(
                    .note, .drift, Reason(.noSubscriber, .text(channel.name)), at: channel.origin.range(of: [])))
        }
        for profile in input.desired.deviceProfiles where sample.bearers[profile.installations] == 0 {
            found.append(
                PlanDiagnostic(
                    .note, .drift, Reason(.noBearer, .text(profile.name)), at: profile.origin.range(of: [])))
        }
        for step in steps where step.change.kind == .channel && step.change.action == .delete {
            guard let count = sample.subscribers[step.change.name], count > 0 else { continue }
            found.append(
                PlanDiagnostic(
                    .warning, .drift,
                    Reason(count == 1 ? .stillSubscribes : .stillSubscribe, .count(count), .text(step.change.name))))
        }
        return found
    }

    private func quotas() -> [PlanDiagnostic] {
        let pending = input.state.scheduled.count + steps.count { $0.change.action == .schedule }
        guard pending > input.desired.policy.pendingQuota else { return [] }
        return [
            PlanDiagnostic(
                .warning, .quota,
                Reason(.overPendingQuota, .count(pending), .count(input.desired.policy.pendingQuota)))
        ]
    }
}

/// What may be wrong with an empty ledger.
extension PlanInput {
    /// True if the ledger is empty although another remote may have delivered.
    var hasUnknownPast: Bool {
        isUnstarted && desired.remotes.values.contains { $0.name != remote.name && !$0.isLoopback }
    }

    private var isUnstarted: Bool { state.ledger.isEmpty && !state.ledgerStarted }

    /// True if it must be asked which other workspaces have deliveries: one may be this one before it was renamed.
    var asksNeighbours: Bool { state.neighbours == nil && (isUnstarted || !desired.formerly.isEmpty) }

    /// The block of every change of a workspace that may have been renamed without saying so, or says so and has
    /// deliveries under several names.
    package var workspaceDoubt: Block? {
        guard let neighbours = state.neighbours, !neighbours.isEmpty else { return nil }
        let own = desired.identityName
        if let other = ([desired.name] + desired.formerly).first(where: { $0 != own && neighbours[$0] != nil }) {
            return Block(.renamed, Reason(.workspaceBeside, .count(neighbours[other] ?? 0), .text(other), .text(own)))
        }
        guard isUnstarted, let most = neighbours.max(by: { ($0.value, $1.key) < ($1.value, $0.key) }) else {
            return nil
        }
        guard neighbours.count == 1 else {
            let names = neighbours.keys.sorted().joined(separator: ", ")
            return Block(.newLedger, Reason(.workspacesThere, .text(names)))
        }
        return Block(.newLedger, Reason(.workspaceThere, .count(most.value), .text(most.key), .text(most.key)))
    }
}

// MARK: - Loopback

extension RemoteDeclaration {
    /// True if the remote certainly leads to this machine only.
    package var isLoopback: Bool {
        switch service {
        case .leancloud(let settings):
            guard case .literal(let url) = settings.url else { return false }
            return Self.isLoopback(url: url)
        case .apns(let settings):
            return !settings.hosts.isEmpty && settings.hosts.values.allSatisfy { Self.isLoopback(url: $0) }
        }
    }

    /// True if a URL names this machine by a literal loopback address or as `localhost`.
    package static func isLoopback(url: String) -> Bool {
        let parts = url.split(separator: "://", maxSplits: 1, omittingEmptySubsequences: false)
        let authority = (parts.last ?? "").prefix { $0 != "/" && $0 != "?" && $0 != "#" }
        if authority.contains("@") { return false }
        if authority.hasPrefix("[") { return authority.hasPrefix("[::1]") }
        let host = authority.prefix { $0 != ":" }.lowercased()
        if host == "localhost" { return true }
        let numbers = host.split(separator: ".", omittingEmptySubsequences: false)
        return numbers.count == 4 && numbers[0] == "127" && numbers.allSatisfy { UInt8($0) != nil }
    }
}
