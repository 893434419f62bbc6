internal import Diagnostics
internal import JSONValue
internal import PushModel

/// The remarks of a plan beyond its changes: drift, unmanaged pushes, certificates, quotas, and manual steps.
struct StateRemarks {
    let input: PlanInput
    let steps: [Step]
    let certificates: [PlannedCertificate]

    func diagnostics() -> [Diagnostic] {
        ledger() + unmanaged() + holdout()
            + CertificateRemarks(desired: input.desired, now: input.now).diagnostics(certificates) + manualSteps()
            + drift() + quotas()
    }

    private func ledger() -> [Diagnostic] {
        guard input.state.ledger.isEmpty, !input.state.ledgerStarted, !input.hasUnknownPast, input.workspaceDoubt == nil
        else { return [] }
        return [
            Diagnostic(.note, .emptyLedger, "no delivery is recorded for \(input.remote.name)")
        ]
    }

    private func unmanaged() -> [Diagnostic] {
        guard !input.state.scheduled.isEmpty else { return [] }
        let ours = Set(input.state.ledger.lazy.flatMap { $0.notificationIDs() })
        return input.state.scheduled.filter { push in
            !(push.notificationID.flatMap { DeliveryID($0) }.map(ours.contains) ?? false)
        }.map { push in
            Diagnostic(
                .note, .unmanaged,
                "a push scheduled for \(push.at.text) is not in the ledger (scheduled push \(push.id)); "
                    + "it is left alone")
        }
    }

    /// A holdout other than that of the last delivery: those who got nothing get pushes again.
    private func holdout() -> [Diagnostic] {
        guard input.capabilities.keepsJournal else { return [] }
        let entries = input.state.ledger.filter(\.mayHaveBeenDelivered)
        let wanted = input.desired.policy.holdout
        // Exempt deliveries hold out nobody, so they say nothing of a policy that still does.
        let known = wanted == nil ? entries : entries.filter { $0.holdout != nil }
        guard let last = known.max(by: { $0.attemptedAt < $1.attemptedAt }), let held = last.holdout,
            held.share != wanted?.share || held.salt != wanted?.salt
        else { return [] }
        let effect =
            held.salt == wanted?.salt
            ? "more or fewer devices are held out from now on"
            : "those devices get pushes again" + (wanted == nil ? "" : ", and others get none")
        return [
            Diagnostic(
                .warning, .holdoutChanged,
                "policy.holdout is \(wanted?.text ?? "gone"), and \(last.title) held out \(held.text): \(effect)",
                at: input.desired.origin.range(of: wanted == nil ? ["policy"] : ["policy", "holdout"]),
                help: "what was measured against the former holdout ends here")
        ]
    }

    private func manualSteps() -> [Diagnostic] {
        guard !input.capabilities.holdsResources else { return [] }
        return steps.compactMap { step in
            guard step.change.kind == .deviceProfile, step.change.action == .create || step.change.action == .update,
                step.change.before?["certificate"] != step.change.after?["certificate"]
                    || step.change.before?["key"] != step.change.after?["key"] || step.change.before == nil
            else { return nil }
            let print = step.change.after?["certificate"]?.string ?? step.change.after?["key"]?.string
            let place = input.desired.deviceProfiles.first { $0.name == step.change.name }?.origin.range(of: [])
            return Diagnostic(
                .note, .manualStep,
                (input.state.isBugleServer
                    ? "put the certificate or key of \(step.change.name) into the workspace that bugle-server's settings "
                        + "name"
                    : "upload the certificate or key of \(step.change.name) in the service's console")
                    + (print.map { "; its fingerprint is then \($0)" } ?? ""),
                at: place)
        }
    }

    /// The most undeclared names of one kind that are listed.
    private static let mostNamed = 12

    private func drift() -> [Diagnostic] {
        guard let sample = input.state.installations else { return [] }
        let channels = Set(input.desired.channels.map(\.name))
        let profiles = Set(input.desired.deviceProfiles.map(\.name))
        var found: [Diagnostic] = []
        func undeclared(_ word: String, _ used: [String: Int], _ declared: Set<String>) {
            let names = used.filter { !declared.contains($0.key) }
                .sorted { ($1.value, $0.key) < ($0.value, $1.key) }
            guard let first = names.first else { return }
            let whole = "\(grouped(sample.size)) newest installations"
            guard names.count > 1 else {
                found.append(
                    Diagnostic(
                        .note, .drift,
                        "\(word) \(first.key) is in use (\(grouped(first.value)) of \(whole)) and not declared"))
                return
            }
            // One line for what other files may declare: an app often has many that are none of this workspace's.
            let listed = names.prefix(Self.mostNamed).map { "\($0.key) (\(grouped($0.value)))" }
            let rest = names.count > listed.count ? " and \(grouped(names.count - listed.count)) more" : ""
            found.append(
                Diagnostic(
                    .note, .drift,
                    "\(grouped(names.count)) \(word)s are in use among the \(whole) and not declared: "
                        + listed.joined(separator: ", ") + rest))
        }
        undeclared("channel", sample.channels, channels)
        undeclared("deviceProfile", sample.deviceProfiles, profiles)
        // The subscribers of an Apple broadcast channel are known to Apple only.
        for channel in input.desired.channels where channel.broadcast == nil && sample.subscribers[channel.name] == 0 {
            found.append(
                Diagnostic(
                    .note, .drift, "no device subscribes to channel \(channel.name)", at: channel.origin.range(of: [])))
        }
        for profile in input.desired.deviceProfiles where sample.bearers[profile.name] == 0 {
            found.append(
                Diagnostic(
                    .note, .drift, "no device has deviceProfile \(profile.name)", at: profile.origin.range(of: [])))
        }
        for step in steps where step.change.kind == .channel && step.change.action == .delete {
            guard let count = sample.subscribers[step.change.name], count > 0 else { continue }
            found.append(
                Diagnostic(
                    .warning, .drift,
                    "\(grouped(count)) device\(count == 1 ? "" : "s") still subscribe\(count == 1 ? "s" : "") to "
                        + "channel \(step.change.name), which is no longer declared"))
        }
        return found
    }

    private func quotas() -> [Diagnostic] {
        let pending = input.state.scheduled.count + steps.count { $0.change.action == .schedule }
        guard pending > input.desired.policy.pendingQuota else { return [] }
        return [
            Diagnostic(
                .warning, .quota,
                "\(grouped(pending)) pending pushes exceed the \(grouped(input.desired.policy.pendingQuota)) that "
                    + "the service keeps")
        ]
    }
}
