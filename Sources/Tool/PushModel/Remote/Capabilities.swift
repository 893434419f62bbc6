/// What a remote can do that decides what a plan may ask of it.
package struct Capabilities: Hashable, Sendable {
    /// Whether the remote keeps a push until its time; without it a later apply must send it.
    package var canSchedule: Bool
    /// Whether it holds certificates and channels itself; without it they are recorded, and a person acts.
    package var holdsResources: Bool
    /// The most results an inner query takes; nil: no limit.
    package var innerQueryLimit: Int?
    /// Whether pushes to the development environment are limited.
    package var limitsDevelopment: Bool
    /// Whether installations can be asked for "no profile".
    package var canSelectUnprofiled: Bool
    /// Whether it keeps a journal of every device, so that an interrupted delivery goes on where it stood.
    package var keepsJournal: Bool

    /// Joins them.
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

/// Which remote it is, as a plan names it.
package struct RemoteDescription: Hashable, Sendable {
    /// Its name in the workspace.
    package var name: String
    /// Which service.
    package var type: RemoteType
    /// For people: `LeanCloud · push.example.com`.
    package var title: String
    /// What makes it this remote and no other: service, address and app, hashed.
    package var fingerprint: Digest

    /// Joins them.
    package init(name: String, type: RemoteType, title: String, fingerprint: Digest) {
        self.name = name
        self.type = type
        self.title = title
        self.fingerprint = fingerprint
    }
}
