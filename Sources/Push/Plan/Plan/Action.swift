/// The action of a change.
package enum Action: String, Hashable, Sendable, CaseIterable {
    /// Records a resource that is new to the remote.
    case create
    /// Records a resource that differs from the deployed one.
    case update
    /// Removes the record of a resource that no file declares any more.
    case delete
    /// Sends at once.
    case send
    /// Schedules the push with the remote, which sends it at its time.
    case schedule
    /// Cancels a pending push and sends or schedules it anew.
    case reschedule
    case cancel
    /// Settles a delivery that an earlier apply left open.
    case resume
    /// Does nothing yet: the campaign is on hold, or left to a later apply.
    case wait
    /// Does nothing any more: it is too late.
    case missed
    /// Does nothing; a person must look.
    case none

    /// True if an apply acts on it, so that `--detailed-exitcode` counts it.
    package var isChange: Bool {
        switch self {
        case .create, .update, .delete, .send, .schedule, .reschedule, .cancel, .resume: true
        case .wait, .missed, .none: false
        }
    }

    /// True if it makes a push.
    package var isSending: Bool {
        switch self {
        case .send, .schedule, .reschedule: true
        case .create, .update, .delete, .cancel, .resume, .wait, .missed, .none: false
        }
    }

    /// The position in plan and apply: creates, updates, cancels, reschedules, resumes, sends, deletes, then the rest.
    package var rank: Int {
        switch self {
        case .create: 0
        case .update: 1
        case .cancel: 2
        case .reschedule: 3
        case .resume: 4
        case .send, .schedule: 5
        case .delete: 6
        case .wait: 7
        case .missed: 8
        case .none: 9
        }
    }
}

/// A rule that blocks a change, with the reason.
package struct Block: Hashable, Sendable {
    /// The rule, named as in docs/reference/safety.md#rules.
    package var rule: Rule
    /// The reason in one clause.
    package var message: Reason

    package init(_ rule: Rule, _ message: Reason) {
        self.rule = rule
        self.message = message
    }

    /// The rule and its reason: `maxAudience: 9 devices exceed maxAudience 5`.
    package var reason: Reason { Reason(.says, .text(rule.rawValue), .reason(message)) }

    /// The rules that can block a change.
    package enum Rule: String, Hashable, Sendable, CaseIterable {
        case maxSendsPerApply
        case maxCancelsPerApply
        /// The audience has too many devices.
        case maxAudience
        /// The audience has too few devices.
        case minAudience
        /// The audience grew too much after it was counted.
        case maxAudienceGrowth
        /// The campaign has no expiration.
        case requireExpiration
        /// The audience is everyone.
        case allowEveryone
        /// The send would start during quiet hours.
        case quietHours
        /// The certificate expires before the delivery ends.
        case certificateExpiryWarning
        /// The payload of some devices is larger than the service takes, with values of their own.
        case payloadSize
        /// The audience has too many devices of the development environment.
        case developmentAudience
        case protected
        /// The service would cut off an inner query.
        case innerQueryLimit
        /// The pending push is due too soon.
        case tooLateToChange
        /// The ledger is empty, and there is another remote.
        case newLedger
        /// It looks like another campaign or workspace under a new name, and nothing says whether it is.
        case renamed
        case notCounted
        /// The campaign names a winner before its variants were tested, or one that its delivery does not have.
        case winner
        /// The campaign is new to the ledger and its time has passed.
        case missed
        /// Too few people approved it, or nobody can tell whether they did.
        case approvals
        /// It would reach devices outside the remote's fence.
        case fence
        /// A person stopped everything.
        case stopped
    }
}

/// The operation of an apply for a change, including everything that a plan file does not hold.
///
/// Indirect, because plans of thousands of steps are sorted and copied, and a ledger entry is large.
package indirect enum Operation: Hashable, Sendable {
    case nothing
    case save(ResourceRecord)
    case forget(ResourceRecord)
    /// Records the deliveries of a renamed campaign under its new name, and then the campaign itself if it is recurring.
    case rename([LedgerEntry], saving: ResourceRecord?)
    /// Records that a campaign's time passed before anything was sent, although a rule blocks its line: from then on it
    /// is known.
    case miss(LedgerEntry)
    /// Sends or schedules a delivery; the ledger entry is new or replaces a closed one.
    case deliver(LedgerEntry, replaces: Bool)
    /// Cancels a pending delivery, whichever generation is pending, and then delivers the next one if there is one.
    case cancel(LedgerEntry, then: LedgerEntry?)
    /// Cancels pushes of a delivery that should not be pending, such as those of earlier generations; the state of the
    /// delivery itself does not change.
    case withdraw(LedgerEntry, [ScheduledPush])
    /// Settles a delivery that was left in `sending`.
    case resume(LedgerEntry, ResumeContext)
}

/// The context for settling an open delivery, besides the evidence and the time.
package struct ResumeContext: Hashable, Sendable {
    /// The current intent of the files.
    package var wish: Wish
    /// The hours in which nothing is sent.
    package var quietHours: QuietHours?

    /// The possible intents of the files for a delivery that was started.
    package enum Wish: Hashable, Sendable {
        case delivered
        /// The rest of the delivery is on hold.
        case held
        /// The delivery is no longer wanted: it is gone from the files, or not meant for this remote.
        case ended
    }

    package init(_ wish: Wish, quietHours: QuietHours?) {
        self.wish = wish
        self.quietHours = quietHours
    }
}
