internal import APNs
internal import JSONValue
package import PushModel

/// What Apple, with the team's own registry, is among the remotes.
package enum APNsRemote {
    /// Which remote a registry and endpoints make.
    ///
    /// The fingerprint is made of the service, the registry and the hosts: another password, or another way to the same
    /// database, is the same remote.
    ///
    /// - Parameters:
    ///   - registry: what tells the database from every other: `DeployReading.identity()`.
    ///   - label: the registry for people: `devices.sqlite`, `db.example.com/devices`.
    package static func description(
        name: String, registry: String, label: String, hosts: [String: String]
    ) -> RemoteDescription {
        RemoteDescription(
            name: name, type: .apns, title: title(label),
            fingerprint: Digest(
                of: [
                    "apns", .string(registry),
                    .object(JSONObject(hosts.mapValues { JSONValue.string($0.lowercased()) })),
                ] as JSONValue))
    }

    /// What it is called for people, with its registry.
    package static func title(_ label: String) -> String { "Apple · \(label)" }

    /// What it can do: it keeps no push for later, but a journal of every device; channels are really made.
    package static let capabilities = Capabilities(
        canSchedule: false, holdsResources: true, innerQueryLimit: nil, limitsDevelopment: false,
        canSelectUnprofiled: true, keepsJournal: true)
}
