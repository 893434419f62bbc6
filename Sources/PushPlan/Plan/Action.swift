/// What a change does.
package enum Action: String, Hashable, Sendable, CaseIterable {
    /// Records a resource that the remote does not know.
    case create
    /// Records a resource that is not as it was deployed.
    case update
    /// Forgets a resource that no file declares any more.
    case delete
    /// Sends at once.
    case send
    /// Hands the push to the remote, which sends it at its time.
    case schedule
    /// Cancels a pending push and sends or schedules it anew.
    case reschedule
    /// Cancels a pending push.
    case cancel
    /// Settles a delivery that an earlier apply left open.
    case resume
    /// Nothing yet: held, or for a later apply.
    case wait
    /// Nothing any more: too late.
    case missed
    /// Nothing; a person has to look.
    case none

    /// Whether an apply does something for it, so that `--detailed-exitcode` counts it.
    package var isChange: Bool {
        switch self {
        case .create, .update, .delete, .send, .schedule, .reschedule, .cancel, .resume: true
        case .wait, .missed, .none: false
        }
    }

    /// Whether it makes a push.
    package var isSending: Bool {
        switch self {
        case .send, .schedule, .reschedule: true
        case .create, .update, .delete, .cancel, .resume, .wait, .missed, .none: false
        }
    }

    /// Its place in plan and apply: creates, updates, cancels, reschedules, resumes, sends, deletes, and then the rest.
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

/// A rule that holds a change back, with what broke it.
package struct Block: Hashable, Sendable {
    /// The rule's name, as <doc:Safety#Rules> spells it.
    package var rule: Rule
    /// What broke it, in one clause.
    package var message: String

    /// Joins the two.
    package init(_ rule: Rule, _ message: String) {
        self.rule = rule
        self.message = message
    }

    /// The rules that can hold a change back.
    package enum Rule: String, Hashable, Sendable, CaseIterable {
        /// Too many sends in one apply.
        case maxSendsPerApply
        /// Too many cancels in one apply.
        case maxCancelsPerApply
        /// Too many devices.
        case maxAudience
        /// Too few devices.
        case minAudience
        /// No word on how long it is worth delivering.
        case requireExpiration
        /// Everyone is reached.
        case allowEveryone
        /// The send would start inside quiet hours.
        case quietHours
        /// The certificate expires before the delivery does.
        case certificateExpiryWarning
        /// Too many devices of the development environment.
        case developmentAudience
        /// The resource is protected.
        case protected
        /// An inner query that the service cuts off.
        case innerQueryLimit
        /// A pending push that is due too soon.
        case tooLateToChange
        /// A ledger that knows nothing, beside another remote.
        case newLedger
        /// Its audience could not be counted.
        case notCounted
        /// A campaign that is new to the ledger, and whose time has passed.
        case missed
    }
}
