/// Where a delivery stands, as the ledger records it.
package enum DeliveryState: String, Hashable, Sendable, CaseIterable {
    /// The intent is recorded; what became of the request is not.
    case sending
    /// The remote keeps it and will send it at its time.
    case scheduled
    /// The remote accepted it.
    case sent
    /// The remote refused it; it may be tried again.
    case refused
    /// Its cancellation was begun.
    case cancelling
    /// It was cancelled before it was sent.
    case cancelled
    /// It was never sent, and that is known.
    case unsent
    /// Nobody knows whether it was sent; a person must say.
    case unknown

    /// Which of two entries of one delivery counts: sent over scheduled over sending over the rest.
    package var strength: Int {
        switch self {
        case .sent: 7
        case .scheduled: 6
        case .cancelling: 5
        case .sending: 4
        case .unknown: 3
        case .unsent: 2
        case .cancelled: 1
        case .refused: 0
        }
    }

    /// Whether something of it may still be under way at the remote.
    package var isOpen: Bool {
        switch self {
        case .sending, .scheduled, .cancelling: true
        case .sent, .refused, .cancelled, .unsent, .unknown: false
        }
    }
}
