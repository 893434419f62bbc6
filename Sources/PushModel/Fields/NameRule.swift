/// What a name may look like.
package enum NameRule: Sendable, CaseIterable {
    /// Workspaces, segments and campaigns.
    case resource
    /// Device profiles: LeanCloud's rule, and `-`.
    case deviceProfile
    /// Channels: LeanCloud's rule.
    case channel
    /// Remotes.
    case remote
    /// Labels.
    case label
    /// Environment variables.
    case environmentVariable
    /// Apple's bundle ids.
    case bundleIdentifier
    /// Apple's team and key ids.
    case appleIdentifier
    /// Custom keys of a message, beside those that are reserved.
    case customKey
    /// Any key that is not empty.
    case anyKey
}
