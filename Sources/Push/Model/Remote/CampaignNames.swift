/// The campaigns' names in the files, and which campaign a delivery recorded under another name belongs to.
package struct CampaignNames: Sendable {
    private let declared: Set<String>
    private let heirs: [String: String]

    /// The names of a workspace's campaigns.
    package init(_ workspace: Workspace) {
        declared = Set(workspace.campaigns.lazy.map(\.name))
        heirs = Dictionary(
            workspace.campaigns.lazy.filter { !$0.formerly.isEmpty }.flatMap { campaign in
                campaign.formerly.map { ($0, campaign.name) }
            }
        ) { first, _ in first }
    }

    /// Returns the delivery under its campaign's name in the files: the one it bears, else of the campaign that says that
    /// it had this name, else one that the ledger says it had before; unchanged when the files have none of them.
    package func adopting(_ entry: LedgerEntry) -> LedgerEntry {
        if declared.contains(entry.campaign) { return entry }
        for former in [entry.campaign] + entry.formerly.reversed() {
            if let name = heirs[former] ?? (declared.contains(former) ? former : nil) { return entry.renamed(to: name) }
        }
        return entry
    }
}
