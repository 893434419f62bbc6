/// The state of a delivery in the ledger.
package enum DeliveryState: String, Hashable, Sendable, CaseIterable {
    /// The intent is recorded; the outcome of the request is not.
    case sending
    /// The remote keeps the push and will send it at its time.
    case scheduled
    /// The remote accepted the push.
    case sent
    /// The remote refused the push; it may be retried.
    case refused
    /// The cancellation has begun.
    case cancelling
    /// The push was cancelled before it was sent.
    case cancelled
    /// The push is known never to have been sent.
    case unsent
    /// It is unknown whether the push was sent; a person must resolve it.
    case unknown
    /// A stage of a rollout passed a limit; a person decides about the rest.
    case halted
    /// There is too little to judge a stage of a rollout; a person decides about the rest.
    case holding

    /// The rank among entries of one delivery: sent over scheduled over cancelling over stopped over sending over the
    /// rest.
    package var strength: Int {
        switch self {
        case .sent: 9
        case .scheduled: 8
        case .cancelling: 7
        case .halted: 6
        case .holding: 5
        case .sending: 4
        case .unknown: 3
        case .unsent: 2
        case .cancelled: 1
        case .refused: 0
        }
    }

    /// True when the delivery may still be under way at the remote.
    package var isOpen: Bool {
        switch self {
        case .sending, .scheduled, .cancelling, .halted, .holding: true
        case .sent, .refused, .cancelled, .unsent, .unknown: false
        }
    }

    /// True when a journal has figures that the ledger does not: sending began, and no apply has ended it.
    package var isUnderWay: Bool { self == .sending || isStopped }

    /// True when a rollout waits for a person's decision.
    package var isStopped: Bool { self == .halted || self == .holding }
}
