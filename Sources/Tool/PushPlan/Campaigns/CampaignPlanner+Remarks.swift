internal import Diagnostics
internal import PushModel

/// The remarks of a plan on deliveries that need no change.
extension CampaignPlanner {
    /// Returns the diagnostic for a rollout that waits for a person, at the line that stopped it; none for others.
    func stopped(_ entry: LedgerEntry, _ campaign: Campaign) -> [Diagnostic] {
        guard entry.state.isStopped else { return [] }
        return [
            Diagnostic(
                .warning, .rolloutStopped,
                "the rollout of \(campaign.name) \(entry.state == .halted ? "was halted" : "holds"): "
                    + (entry.reason ?? "no reason given"),
                at: campaign.origin.range(of: ["rollout"]),
                help: "decide about the rest: '\(entry.resolveCommand)'")
        ]
    }

    /// Returns the diagnostic for a delivery that needs no change.
    func diagnostic(_ remark: CampaignRow.Remark, _ campaign: Campaign) -> Diagnostic {
        let place = campaign.origin.range(of: [])
        switch remark {
        case .editedAfterDelivery:
            return Diagnostic(
                .note, .editedAfterDelivery, "\(campaign.name) was edited after it was delivered; nothing is sent",
                at: place, help: "raise 'revision' to deliver it again")
        case .editedDuringDelivery:
            return Diagnostic(
                .note, .editedAfterDelivery,
                "\(campaign.name) was edited during its delivery; its remaining devices get the original",
                at: place, help: "raise 'revision' to end that delivery and deliver the edited campaign to everybody")
        case .revisionLowered(let delivered):
            return Diagnostic(
                .warning, .revisionLowered,
                "\(campaign.name) was delivered at revision \(delivered), and the file says \(campaign.revision); "
                    + "nothing is sent",
                at: campaign.origin.range(of: ["revision"]), help: "raise 'revision' above \(delivered) to deliver it")
        case .cancelledElsewhere:
            return Diagnostic(
                .warning, .cancelledElsewhere,
                "the pending push of \(campaign.titleOfDelivery) disappeared from the remote before its time; nothing is sent",
                at: place, help: campaign.occurrence == .once ? "raise 'revision' to deliver it" : nil)
        case .otherWinner(let winner):
            return Diagnostic(
                .note, .editedAfterDelivery,
                "the rest of \(campaign.name) was given \(winner.map(quoted) ?? "nothing"), and the file names "
                    + "\(quoted(campaign.winner ?? "")): nothing more is sent",
                at: campaign.origin.range(of: ["winner"]), help: "name a winner before the rest is sent")
        case .inDoubt(let devices, let entry):
            return Diagnostic(
                .warning, .inDoubt,
                "\(campaign.titleOfDelivery) was delivered, but the answers of \(grouped(devices)) devices were lost; nothing more is sent to them",
                at: place, help: "'\(entry.resolveCommand)' closes it, or sends to those devices only")
        }
    }
}
