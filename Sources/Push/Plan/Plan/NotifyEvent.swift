package import Base

/// Something that a team is told of, once: its id is the same in every apply that finds it.
package struct NotifyEvent: Hashable, Sendable {
    package var kind: Kind
    /// The delivery, such as `score@2`, or the DeviceProfile.
    package var subject: String
    /// The campaign of the delivery; nil for a certificate.
    package var campaign: String?
    /// What tells it from others of its subject: the kind, and the stage or the day.
    let mark: String
    /// The delivery; nil for a certificate.
    package var delivery: DeliveryID?
    /// What became of the devices; nil when nothing was counted.
    package var figures: DeliveryFigures?
    /// Why, or what a person should do.
    package var reason: Reason?
    /// The commit and the run that brought it about; empty for what merely waits.
    package var provenance = Provenance()
    /// The text of the message, for those who asked for it.
    package var text: String?

    /// What can be told.
    package enum Kind: String, Hashable, Sendable, CaseIterable {
        case sent
        /// A delivery was refused or missed, or failed.
        case failed
        /// A person must find out what became of a delivery, or of some devices of it.
        case doubt
        /// A rollout waits for a decision after a stage.
        case stage
        case stopped
        case approval
        case certificate
    }

    /// The id.
    package var id: String { "\(delivery?.text ?? subject)/\(mark)" }
}

// MARK: - Events

extension LedgerEntry {
    /// What a team is told of the delivery as it stands, and was not told yet; nothing when no apply was asked to tell.
    package func untold(at now: Instant) -> [NotifyEvent] {
        guard let told else { return [] }
        return events(at: now).filter { !told.contains($0.mark) }
    }

    /// The entry once these events of it were told.
    package func telling(_ events: [NotifyEvent]) -> LedgerEntry {
        var entry = self
        entry.told = (told ?? []) + events.map(\.mark)
        return entry
    }

    private func events(at now: Instant) -> [NotifyEvent] {
        if let order = stopped?.order {
            return [event(.stopped, order.reason(of: self), "stopped-\(order.at.isoText)")]
        }
        let resolve = Reason.Value.text(resolveCommand)
        switch state {
        case .sent:
            let inDoubt = figures?.inDoubt ?? 0
            let lost = Reason(.answersLostResolve, .count(inDoubt), resolve)
            return [event(.sent, reason)] + (inDoubt > 0 ? [event(.doubt, lost)] : [])
        case .unknown: return [event(.doubt, (reason ?? Reason(.outcomeOpen)).also(.verbatim(resolveCommand)))]
        case .refused: return [event(.failed, reason)]
        case .unsent: return reason?.has(Reason.Result.notSentUnwanted) == true ? [] : [event(.failed, reason)]
        case .halted, .holding:
            let after = Reason(state == .halted ? .haltedAfter : .holdsAfter, .reason(reason ?? .verbatim("")), resolve)
            return [event(.stage, after, "stage-\(figures?.verdicts.last?.stage ?? 0)")]
        // The service has sent it by then.
        case .scheduled where !mayBePending(at: now): return [event(.sent, nil)]
        case .sending, .scheduled, .cancelling, .cancelled: return []
        }
    }

    private func event(_ kind: NotifyEvent.Kind, _ reason: Reason?, _ mark: String? = nil) -> NotifyEvent {
        NotifyEvent(
            kind: kind, subject: title, campaign: campaign, mark: mark ?? kind.rawValue, delivery: delivery,
            figures: figures, reason: reason, provenance: provenance)
    }
}

extension Plan {
    /// What waits for people: campaigns without their approvals, and certificates that expire soon.
    package func waiting(_ policy: Policy) -> [NotifyEvent] {
        let approvals = changes.compactMap { change -> NotifyEvent? in
            guard let delivery = change.delivery, let block = change.blocked.first(where: { $0.rule == .approvals })
            else { return nil }
            let which = delivery.occurrence.date?.text ?? String(delivery.revision)
            return NotifyEvent(
                kind: .approval, subject: "\(change.name)@\(which)", campaign: change.name, mark: "approval",
                delivery: delivery.id, reason: block.message)
        }
        return approvals
            + certificates.compactMap { certificate in
                certificate.expiresAt.flatMap {
                    .certificate(certificate.name, until: $0, at: createdAt, policy, certificate.campaigns)
                }
            }
    }
}

extension NotifyEvent {
    /// A certificate that expires soon, by the policy; a later warning is another event. Nil when it does not, or has
    /// expired, which is an error of its own. The campaigns are those that depend on it.
    package static func certificate(
        _ profile: String, until end: Instant, at now: Instant, _ policy: Policy = Policy(), _ campaigns: [String] = []
    ) -> NotifyEvent? {
        CertificateReview.Urgency(end - now, policy: policy).map { urgency in
            NotifyEvent(
                kind: .certificate, subject: profile,
                mark: "certificate-\(OffsetInstant(end).date.text)-\(urgency.rawValue)",
                reason: CertificateReview.expiry(profile, end, urgency, now: now)
                    .also(CertificateReview.dependents(campaigns)))
        }
    }

    /// A push that a server was given by no campaign, and did not send to everybody.
    package static func failed(push id: String, _ reason: Reason) -> NotifyEvent {
        NotifyEvent(kind: .failed, subject: id, mark: "failed", reason: reason)
    }
}

// MARK: - Record

extension NotifyEvent {
    package static let record = Record<NotifyEvent>(
        written: [
            Field("id", .text, "The same whenever it is told; it is told once.", { $0.id }),
            Field("kind", .choice(Kind.self), "What happened.", { $0.kind }),
            Field("subject", .text, "The delivery, such as score@2, or the DeviceProfile.", { $0.subject }),
            Field(optional: "campaign", .text, "The campaign.", { $0.campaign }),
            Field(optional: "delivery", .text, "The id of the delivery.", { $0.delivery?.text }),
            Field(optional: "devices", .integer(), "The devices of its audience.", { $0.figures?.devices }),
            Field(optional: "accepted", .integer(), "Those for which it was accepted.", { $0.figures?.successes }),
            Field(optional: "inDoubt", .integer(), "Those whose answer was lost.", { $0.figures?.inDoubt }),
            Field(optional: "missed", .integer(), "Those that were not sent to in time.", { $0.figures?.missed }),
            Field(optional: "simulated", .integer(), "Devices that are only simulated.", { $0.figures?.simulated }),
            Field(optional: "reason", .text, "Why, in English.", { $0.reason?.text }),
            Field(optional: "reasonCode", .text, "The code of 'reason'.", { $0.reason?.code.name }),
            Field(optional: "commit", .text, "The commit that was applied.", { $0.provenance.commit }),
            Field(optional: "run", .text, "The run that applied it.", { $0.provenance.run }),
            Field(optional: "text", .text, "The text of the message, where 'text' asks for it.", { $0.text }),
        ])
}
