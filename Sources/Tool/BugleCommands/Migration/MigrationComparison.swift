internal import Diagnostics
internal import JSONValue
internal import PushModel
internal import PushPlan

/// Compares the data of the old service with that of the new server.
struct MigrationComparison: Sendable {
    typealias Finding = HealthCheck.Finding

    let there: MigrationSide
    let here: MigrationSide

    /// The largest part that may be missing: of several registrations with one token, only one is kept.
    private static let tolerance = 0.05
    /// The number that may be missing in any case.
    private static let few = 2
    private static let remedy = "run 'bugle-server pull'"

    /// Returns the findings of all comparisons. The audiences of `desired` are compared too; it is nil when devices
    /// register with the new server already, so that counts differ.
    func findings(for desired: Workspace?) async -> [Finding] {
        var findings = [counted("devices", there.audience.devices, here.audience.devices, "get pushes")]
        do throws(RemoteError) {
            findings.append(try await sample())
            if let desired {
                findings.append(
                    counted("registrations", there[.day], here[.day], "were seen in \(MigrationSide.Window.day.text)"))
                findings += try await audiences(of: desired)
            }
        } catch {
            findings.append(.error("comparison", error.description, .of(error)))
        }
        return findings + [ledger, resources]
    }

    /// True if too few of the expected objects were found.
    private static func isShort(_ found: Int, of expected: Int) -> Bool {
        let gap = expected - found
        return gap > max(few, Int(Double(expected) * tolerance)) || found == 0 && expected > 0
    }

    private func counted(_ subject: String, _ there: Int, _ here: Int, _ words: String) -> Finding {
        let counts = "\(grouped(there)) \(words) at the old service, \(grouped(here)) at the new server"
        guard Self.isShort(here, of: there) else {
            return .fine(subject, counts + (there > here ? ": registrations of one token count once" : ""))
        }
        return .todo(subject, "\(counts): \(Self.remedy)")
    }

    /// Compares a sample by id: equal counts may be of different devices.
    private func sample() async throws(RemoteError) -> Finding {
        let ids = try await there.sample()
        let known = try await here.known(ids)
        let counts = "\(grouped(known.count)) of \(grouped(ids.count)) devices of the old service are at the new server"
        guard Self.isShort(known.count, of: ids.count) else { return .fine("sample", counts) }
        return .todo("sample", "\(counts), by their ids: \(Self.remedy), and check whether both belong to the same app")
    }

    /// Compares the counts of audiences on both sides; the classes that their conditions query must have been copied
    /// too.
    private func audiences(of desired: Workspace) async throws(RemoteError) -> [Finding] {
        let segments = desired.segments.map { ("segment \($0.name)", $0.condition) }
        let campaigns = desired.campaigns.compactMap { campaign in
            campaign.audience.condition.map { ("campaign \(campaign.name)", $0) }
        }
        let channels = desired.channels.map { ("channel \($0.name)", ["channels": .string($0.name)] as JSONValue) }
        let all = Dictionary(segments + campaigns + channels) { first, _ in first }
        var findings: [Finding] = []
        for (subject, condition) in all.sorted(by: { $0.key < $1.key }).prefix(Self.mostAudiences) {
            let asked: JSONValue = ["$and": [MigrationSide.apple, condition]]
            let before = try await there.reader.count(asked)
            let after = try await here.reader.count(asked)
            if case .absentClass(let name)? = after.doubts.first(where: { !before.doubts.contains($0) && $0.isClass }) {
                findings.append(
                    .todo(
                        subject,
                        "it queries the class \(name), which is not at the new server: \(Self.pulling(name))"))
            } else if let old = before.innerQuery, Self.isShort(after.innerQuery ?? 0, of: old) {
                findings.append(
                    .todo(
                        subject,
                        "a query within its condition finds \(grouped(old)) objects at the old service, "
                            + "\(grouped(after.innerQuery ?? 0)) at the new server: \(Self.remedy) with --class"))
            } else if Self.isShort(after.devices, of: before.devices) || Self.isShort(before.devices, of: after.devices)
            {
                findings.append(
                    .todo(
                        subject,
                        "\(grouped(before.devices)) devices at the old service, \(grouped(after.devices)) at the new "
                            + "server: \(Self.remedy)"))
            }
        }
        let looked = min(all.count, Self.mostAudiences)
        if findings.isEmpty, looked > 0 {
            findings.append(
                .fine(
                    "audiences",
                    "\(grouped(looked)) of \(grouped(all.count)) channels, segments and conditions reach as many devices"
                ))
        }
        return findings
    }

    private static let mostAudiences = 100
    private static func pulling(_ name: String) -> String { "run 'bugle-server pull --class \(name)'" }

    private var ledger: Finding {
        let known = Set(here.ledger.map(\.delivery))
        let lost = there.ledger.filter { !known.contains($0.delivery) }
        guard let first = lost.first else {
            return .fine("ledger", "all \(grouped(there.ledger.count)) deliveries are at the new server")
        }
        return .todo(
            "ledger",
            "\(grouped(lost.count)) deliveries are not at the new server, such as \(first.campaign)@\(first.revision), "
                + "which would send them again: \(Self.remedy)")
    }

    private var resources: Finding {
        let names = Set(here.resources.map { "\($0.kind.rawValue) \($0.name)" })
        let gone = there.resources.filter { !names.contains("\($0.kind.rawValue) \($0.name)") }
        guard let first = gone.first else {
            return .fine("resources", "all \(grouped(there.resources.count)) are at the new server")
        }
        return .todo(
            "resources",
            "\(grouped(gone.count)) are not at the new server, such as \(first.kind.rawValue) \(first.name): \(Self.remedy)"
        )
    }
}

extension AudienceDoubt {
    fileprivate var isClass: Bool {
        if case .absentClass = self { return true }
        return false
    }
}
