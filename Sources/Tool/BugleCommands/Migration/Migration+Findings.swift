internal import Diagnostics
internal import JSONValue
internal import PushModel
internal import PushPlan

extension Migration {
    /// Returns findings about pushes and applies that are still pending on the old service.
    static func waiting(at there: MigrationSide) -> [Finding] {
        var findings: [Finding] = []
        if let lock = there.lock, lock.isHeld(at: there.now) {
            findings.append(.todo("apply", "\(lock.holder) is applying to the old service: wait until it has ended"))
        }
        if let last = there.scheduled.map(\.at).max() {
            findings.append(
                .todo(
                    "pending pushes",
                    "\(grouped(there.scheduled.count)) wait at the old service, until \(last.text), which will send them: "
                        + "cancel them ('hold: true', then 'bugle apply'), or wait"))
        } else {
            findings.append(.fine("pending pushes", "none wait at the old service"))
        }
        let open = there.ledger.filter {
            $0.state == .sending || $0.state == .cancelling || $0.state == .unknown || $0.state.isStopped
        }
        if let first = open.first {
            findings.append(
                .todo(
                    "ledger",
                    "\(grouped(open.count)) deliveries are not settled, such as \(first.campaign)@\(first.revision): run "
                        + "'bugle apply' on the old remote, or 'bugle resolve'"))
        }
        return findings
    }

    /// Returns findings on the new server's routes to Apple, based on the devices' profiles.
    func profiles(of there: MigrationSide?, at here: MigrationSide) async -> [Finding] {
        let subject = "remote \(new.name)"
        do throws(RemoteError) {
            let reach = try await here.reader.serverReach()
            guard reach.isReal else {
                return [
                    .todo(
                        subject,
                        "it simulates every device: name in its settings the workspace whose DeviceProfiles push to Apple"
                    )
                ]
            }
            guard !reach.deviceProfiles.isEmpty else {
                return [
                    .todo(subject, "it reaches no device: none of its DeviceProfiles has its credential there")
                ]
            }
            let names = reach.deviceProfiles.sorted().joined(separator: ", ")
            var findings = [Finding.fine(subject, "pushes to Apple's devices by \(names)")]
            for profile in desired.deviceProfiles where !reach.deviceProfiles.contains(profile.name) {
                findings.append(.todo("deviceProfile \(profile.name)", "\(subject) has no usable credential for it"))
            }
            if let there { findings += try await bearers(of: there, besides: Set(desired.deviceProfiles.map(\.name))) }
            return findings
        } catch {
            return [.error(subject, error.description, .of(error))]
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
                .todo(
                    "deviceProfile \(name)",
                    "\(grouped(count.devices)) devices have it and the workspace declares none: they would get nothing; "
                        + "'bugle import' writes it"))
        }
        let others = try await there.reader.count(MigrationSide.others).devices
        if others > 0 {
            findings.append(
                .warning("Android", "\(grouped(others)) devices: the new server keeps them, and pushes to Apple's only")
            )
        }
        return findings
    }

    /// Returns findings on the devices that will register by themselves, and those known from the copy only.
    static func clients(of there: MigrationSide) -> [Finding] {
        let soon = there[.month]
        let late = max(0, there.audience.devices - soon)
        return [
            .fine(
                "clients",
                "\(grouped(soon)) devices were seen in \(MigrationSide.Window.month.text) and will register by themselves "
                    + "when their app starts; \(grouped(late)) were not, and depend on the copy")
        ]
    }

    /// Returns findings on devices registering with the new server.
    static func arrivals(at here: MigrationSide) -> [Finding] {
        guard here.audience.devices > 0 else {
            return [.todo("devices", "the new server has none: run 'bugle-server pull' or 'bugle-server import'")]
        }
        let count = here[.day]
        let words = "\(grouped(count)) devices were seen in \(MigrationSide.Window.day.text)"
        return [
            count > 0
                ? .fine("registrations", words)
                : .warning("registrations", "\(words): check whether apps reach the server")
        ]
    }
}
