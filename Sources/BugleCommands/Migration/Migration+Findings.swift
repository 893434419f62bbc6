internal import Base
internal import Push

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
