/// The kinds of lines of a snapshot file: a word, and fields that are separated by tabs.
///
/// One line a record, because ten thousand ledger entries must be read in milliseconds, and so that a difference
/// between two recordings is a difference of lines.
enum SnapshotRecord: String, CaseIterable {
    /// The version of the format and the program.
    case head = "bugle-snapshot"
    /// The workspace's name.
    case workspace
    /// Name, type, title and fingerprint.
    case remote
    /// The server's clock.
    case now
    /// `yes` or `no`.
    case ledgerStarted
    /// Holder, run, fence, when it was taken, until when it holds.
    case lock
    /// Commit, its time, when it was applied, run.
    case lastApplied
    /// One ledger entry; see `SnapshotWriter.write(_:)`.
    case entry
    /// Kind, name, whether it is protected, and its fields as JSON.
    case resource
    /// Id, the id of its request, and when it fires.
    case scheduled
    /// The id of a request, what was found, and the record.
    case evidence
    /// The hash of a condition, or of what two have in common, devices, and the largest inner query.
    case audience
    /// The hash of a condition, devices, and how many of them the time zones speak of.
    case explanation
    /// The hash of a condition, what is told apart, a name or reason, and its devices.
    case explained
    /// How many installations were looked at.
    case sample
    /// A channel, with its devices in the sample.
    case sampledChannel
    /// A profile, with its devices in the sample.
    case sampledProfile
    /// A channel, with its devices of all.
    case subscribers
    /// A profile, with its devices of all.
    case bearers
    /// The number of lines before this one, so that a cut is noticed.
    case end
}

/// What the lines of an explanation tell apart.
enum SnapshotExplained: String, CaseIterable {
    case platform
    case deviceProfile
    case timeZone
    case skipped
}
