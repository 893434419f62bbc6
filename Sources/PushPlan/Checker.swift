package import Diagnostics
package import PushModel

/// Checks a workspace without any remote: what a remote of each type could not do, and the policy.
package enum Checker {
    /// What a remote's encoder says to each campaign meant for it.
    ///
    /// - Parameter remote: the remote's name in the workspace.
    package static func findings(
        _ desired: Workspace, remote: String, encoder: any RequestEncoding
    ) -> [Diagnostic] {
        let drafting = Drafting(desired, encoder: encoder)
        return desired.campaigns.mapConcurrently { campaign -> [Diagnostic] in
            campaign.isMeant(for: remote) ? drafting.findings(campaign) : []
        }
        .flatMap { $0 }
    }

    /// The request that a campaign of a workspace makes when it is scheduled for its time, with what the encoder says.
    ///
    /// - Parameter notification: the id that the request bears; nil: any.
    package static func request(
        of campaign: Campaign, in desired: Workspace, encoder: any RequestEncoding, notification: DeliveryID? = nil
    ) -> EncodedPush {
        Drafting(desired, encoder: encoder).request(of: campaign, notification: notification)
    }

    /// Certificates that expire soon, of profiles whose credentials were read.
    package static func certificateFindings(_ desired: Workspace, now: Instant) -> [Diagnostic] {
        CertificateRemarks(desired: desired, now: now).diagnostics()
    }

    /// The rules of the policy that need no remote.
    package static func policyFindings(_ desired: Workspace) -> [Diagnostic] {
        let rules = PolicyRules(policy: desired.policy)
        return desired.campaigns.flatMap { campaign in
            rules.offline(campaign).map { finding in
                Diagnostic(
                    .error, finding.code, finding.message, at: campaign.origin.range(of: finding.path),
                    help: finding.help)
            }
        }
    }
}
