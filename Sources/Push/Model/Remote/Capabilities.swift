/// The features of a remote that decide what a plan may ask of it.
package struct Capabilities: Hashable, Sendable {
    /// True when the remote keeps a push until its time; otherwise a later apply must send it.
    package var canSchedule: Bool
    /// True when the remote holds certificates and channels itself; otherwise they are recorded, and a person acts.
    package var holdsResources: Bool
    /// The most results an inner query may have; nil: no limit.
    package var innerQueryLimit: Int?
    /// True when pushes to the development environment are limited.
    package var limitsDevelopment: Bool
    /// True when installations without a profile can be queried.
    package var canSelectUnprofiled: Bool
    /// True when the remote keeps a journal of every device, so that an interrupted delivery resumes where it stopped.
    package var keepsJournal: Bool

    package init(
        canSchedule: Bool, holdsResources: Bool, innerQueryLimit: Int?, limitsDevelopment: Bool,
        canSelectUnprofiled: Bool, keepsJournal: Bool = false
    ) {
        self.canSchedule = canSchedule
        self.holdsResources = holdsResources
        self.innerQueryLimit = innerQueryLimit
        self.limitsDevelopment = limitsDevelopment
        self.canSelectUnprofiled = canSelectUnprofiled
        self.keepsJournal = keepsJournal
    }
}

/// The identity of a remote in a plan.
package struct RemoteDescription: Hashable, Sendable {
    /// The remote's name in the workspace.
    package var name: String
    /// The type of the service.
    package var type: RemoteType
    /// The name for people: `LeanCloud · push.example.com`.
    package var title: String
    /// The remote's identity: the hash of service, address and app.
    package var fingerprint: Digest

    package init(name: String, type: RemoteType, title: String, fingerprint: Digest) {
        self.name = name
        self.type = type
        self.title = title
        self.fingerprint = fingerprint
    }
}
