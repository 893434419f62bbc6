internal import Base

/// The remarks of a plan on deliveries that need no change.
extension CampaignPlanner {
    /// Returns the diagnostic for a rollout that waits for a person, at the line that stopped it; none for others.
    func stopped(_ entry: LedgerEntry, _ campaign: Campaign) -> [PlanDiagnostic] {
        guard entry.state.isStopped else { return [] }
        return [
            PlanDiagnostic(
                .warning, .rolloutStopped,
                Reason(
                    entry.state == .halted ? .rolloutWasHalted : .rolloutIsHolding, .text(campaign.name),
                    .reason(entry.reason ?? Reason(.noReason))),
                at: campaign.origin.range(of: ["rollout"]), help: Reason(.decideRest, .text(entry.resolveCommand)))
        ]
    }

    /// Returns the diagnostic for a delivery that needs no change.
    func diagnostic(_ remark: CampaignRow.Remark, _ campaign: Campaign) -> PlanDiagnostic {
        let (name, title) = (Reason.Value.text(campaign.name), Reason.Value.text(campaign.titleOfDelivery))
        func found(
            _ severity: Severity, _ code: DiagnosticCode, _ message: Reason, at path: [FieldPathElement] = [],
            help: Reason?
        ) -> PlanDiagnostic {
            PlanDiagnostic(severity, code, message, at: campaign.origin.range(of: path), help: help)
        }
        switch remark {
        case .editedAfterDelivery:
            return found(.note, .editedAfterDelivery, Reason(.editedAfter, name), help: Reason(.raiseRevision))
        case .editedDuringDelivery:
            return found(.note, .editedAfterDelivery, Reason(.editedDuring, name), help: Reason(.raiseRevisionForAll))
        case .revisionLowered(let delivered):
            return found(
                .warning, .revisionLowered,
                Reason(.revisionIsLower, name, .number(delivered), .number(campaign.revision)), at: ["revision"],
                help: Reason(.raiseRevisionAbove, .number(delivered)))
        case .cancelledElsewhere:
            return found(
                .warning, .cancelledElsewhere, Reason(.disappeared, title),
                help: campaign.occurrence == .once ? Reason(.raiseRevisionToDeliver) : nil)
        case .otherWinner(let winner):
            let wanted = Reason.Value.text(quoted(campaign.winner ?? ""))
            return found(
                .note, .editedAfterDelivery,
                winner.map { Reason(.otherWinner, name, .text(quoted($0)), wanted) }
                    ?? Reason(.otherWinnerThanNone, name, wanted),
                at: ["winner"], help: Reason(.nameWinnerBefore))
        case .inDoubt(let devices, let entry):
            return found(
                .warning, .inDoubt, Reason(.deliveredInDoubt, title, .count(devices)),
                help: Reason(.closeOrSend, .text(entry.resolveCommand)))
        }
    }
}
