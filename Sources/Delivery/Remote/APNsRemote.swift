internal import Base
package import Push

/// Apple, with the team's own registry, as a type of remote.
package enum APNsRemote {
    /// Describes the remote made up of a registry and endpoints.
    ///
    /// - Parameters:
    ///   - name: the remote's name in the workspace.
    ///   - registry: the identity of the database: `JournalReading.identity()`.
    ///   - label: the registry in messages: `devices.sqlite`, `db.example.com/devices`.
    ///   - hosts: the remote's `hosts`, which override Apple's own addresses.
    /// - Returns: the description, with a fingerprint derived from the service, the registry and the hosts: another
    ///   password, or another way to the same database, gives the same remote.
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

    /// The remote's title in messages, with its registry.
    package static func title(_ label: String) -> String { "Apple · \(label)" }

    /// The remote's capabilities: no scheduled pushes, but a journal of every device; channels are created at Apple.
    package static let capabilities = Capabilities(
        canSchedule: false, holdsResources: true, innerQueryLimit: nil, limitsDevelopment: false,
        canSelectUnprofiled: true, keepsJournal: true)
}
