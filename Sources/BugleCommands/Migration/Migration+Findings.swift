internal import Diagnostics
internal import JSONValue
internal import PushModel
internal import PushPlan
internal import PushRemote

extension Migration {
    /// Fewer than this part of the devices may be missing: of several registrations with one token, one is kept.
    private static let tolerance = 0.05
    /// So few may be missing in any case.
    private static let few = 10

    /// What the old service would still send, or is being told.
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
        let open = there.ledger.filter { $0.state == .sending || $0.state == .cancelling || $0.state == .unknown }
        if let first = open.first {
            findings.append(
                .todo(
                    "ledger",
                    "\(grouped(open.count)) deliveries are not settled, such as \(first.campaign)@\(first.revision): run "
                        + "'bugle apply' on the old remote, or 'bugle resolve'"))
        }
        return findings
    }

    /// Whether the workspace can push to what devices say of themselves.
    func profiles(of there: MigrationSide) async -> [Finding] {
        var findings: [Finding] = []
        let declared = Set(desired.deviceProfiles.map(\.name))
        do throws(RemoteError) {
            let sample = try await there.reader.sampleInstallations(channels: [], deviceProfiles: [])
            for name in sample.deviceProfiles.keys.sorted() where !declared.contains(name) {
                // Android's devices bear names of vendors' settings there.
                let condition: JSONValue = ["deviceProfile": .string(name), "deviceType": ["$ne": "android"]]
                let count = try await there.reader.count(condition).devices
                guard count > 0 else { continue }
                findings.append(
                    .todo(
                        "deviceProfile \(name)",
                        "\(grouped(count)) devices bear it and the workspace declares none: they would get nothing; "
                            + "'bugle import' writes it"))
            }
        } catch {
            findings.append(.error("deviceProfiles", error.description, .of(error)))
        }
        if let android = there.audience.platforms["android"], android > 0 {
            findings.append(
                .warning(
                    "Android", "\(grouped(android)) devices: the new server keeps them, and pushes to Apple's only"))
        }
        return findings
    }

    /// Whether what the old service holds is at the new one.
    static func comparison(_ there: MigrationSide, _ here: MigrationSide) async -> [Finding] {
        var findings = [
            missing("devices", there.audience.devices, here.audience.devices, "get pushes"),
            missing("registrations", there[.day], here[.day], "were seen in \(MigrationSide.Window.day.text)"),
        ]
        let known = Set(here.ledger.map(\.delivery))
        let lost = there.ledger.filter { !known.contains($0.delivery) }
        if let first = lost.first {
            findings.append(
                .todo(
                    "ledger",
                    "\(grouped(lost.count)) deliveries are not at the new server, such as \(first.campaign)@\(first.revision), "
                        + "which would send them again: run 'bugle-server pull'"))
        } else {
            findings.append(.fine("ledger", "all \(grouped(there.ledger.count)) deliveries are at the new server"))
        }
        let names = Set(here.resources.map { "\($0.kind.rawValue) \($0.name)" })
        let gone = there.resources.filter { !names.contains("\($0.kind.rawValue) \($0.name)") }
        if let first = gone.first {
            findings.append(
                .todo(
                    "resources",
                    "\(grouped(gone.count)) are not at the new server, such as \(first.kind.rawValue) \(first.name): run "
                        + "'bugle-server pull'"))
        }
        return findings
    }

    private static func missing(_ subject: String, _ there: Int, _ here: Int, _ words: String) -> Finding {
        let counts = "\(grouped(there)) \(words) at the old service, \(grouped(here)) at the new server"
        let gap = there - here
        guard gap > max(few, Int(Double(there) * tolerance)) || (here == 0 && there > 0) else {
            return .fine(subject, counts + (gap > 0 ? ": registrations of one token count once" : ""))
        }
        return .todo(subject, "\(counts): run 'bugle-server pull'")
    }

    /// Which devices come by themselves, and which are known from the copy only.
    static func clients(of there: MigrationSide) async -> [Finding] {
        let soon = there[.month]
        let late = max(0, there.audience.devices - soon)
        return [
            .fine(
                "clients",
                "\(grouped(soon)) devices were seen in \(MigrationSide.Window.month.text) and will register by themselves "
                    + "when their app starts; \(grouped(late)) were not, and depend on the copy")
        ]
    }

    /// Whether devices register with the new server.
    static func arrivals(at here: MigrationSide) async -> [Finding] {
        let count = here[.day]
        let words = "\(grouped(count)) devices were seen in \(MigrationSide.Window.day.text)"
        return [
            count > 0
                ? .fine("registrations", words)
                : .warning("registrations", "\(words): look whether apps reach the server")
        ]
    }
}
