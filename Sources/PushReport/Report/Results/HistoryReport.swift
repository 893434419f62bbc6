package import Push

/// What was applied to a remote, the newest first.
package struct HistoryReport: Hashable, Sendable {
    /// The workspace.
    package var workspace: String
    /// The remote.
    package var remote: RemoteDescription
    /// The time from which deliveries are listed.
    package var since: Instant
    /// The number of deliveries before it.
    package var earlier: Int
    /// The clock of the times that people read; nil: UTC.
    package var zone: ZoneClock?
    /// The deliveries.
    package var rows: [StatusReport.Row]

    /// Creates the history; the newest delivery comes first.
    package init(
        workspace: String, remote: RemoteDescription, since: Instant, earlier: Int = 0, zone: ZoneClock? = nil,
        rows: [StatusReport.Row]
    ) {
        self.workspace = workspace
        self.remote = remote
        self.since = since
        self.earlier = earlier
        self.zone = zone
        self.rows = rows.sorted { lhs, rhs in
            let (left, right) = (lhs.begunAt ?? since, rhs.begunAt ?? since)
            return left == right ? lhs.title < rhs.title : left > right
        }
    }
}
