package import Base

/// Checks a workspace without any remote: the limits of each type of remote, and the policy.
package enum Checker {
    /// Returns the encoder's findings about each campaign for the remote with this name in the workspace.
    package static func findings(
        _ desired: Workspace, remote: String, encoder: any RequestEncoding
    ) -> [Diagnostic] {
        let drafting = CampaignDrafter(desired, encoder: encoder)
        // What the policy rules out is said once, however many campaigns there are.
        var seen: Set<Diagnostic> = []
        return desired.campaigns.mapConcurrently { campaign -> [Diagnostic] in
            campaign.isMeant(for: remote) ? drafting.findings(campaign) : []
        }
        .flatMap { $0 }.filter { seen.insert($0).inserted }
    }

    /// Returns the request of a campaign scheduled at its time, with the encoder's findings; `notification` is the id
    /// in the request, nil for any id.
    package static func request(
        of campaign: Campaign, in desired: Workspace, encoder: any RequestEncoding, notification: DeliveryID? = nil
    ) -> EncodedPush {
        CampaignDrafter(desired, encoder: encoder).request(of: campaign, notification: notification)
    }

    /// Returns findings on certificates that expire soon, for profiles whose credentials were read.
    package static func certificateFindings(_ desired: Workspace, now: Instant) -> [Diagnostic] {
        CertificateRemarks(desired: desired, now: now).diagnostics().map { $0.map(\.text) }
    }

    /// Returns the findings of policy rules that need no remote.
    package static func policyFindings(_ desired: Workspace) -> [Diagnostic] {
        let rules = PolicyRules(policy: desired.policy)
        return desired.campaigns.mapConcurrently { campaign in
            rules.offline(campaign).map { finding in
                Diagnostic(
                    .error, finding.code, finding.message, at: campaign.origin.range(of: finding.path),
                    help: finding.help)
            }
        }
        .flatMap { $0 }
    }
}
