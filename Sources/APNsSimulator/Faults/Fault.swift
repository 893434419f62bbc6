/// Something that goes wrong, for some of the pushes.
package struct Fault: Hashable, Sendable {
    /// What goes wrong, and whether the notification reaches the device all the same.
    package enum Effect: Hashable, Sendable {
        /// The push is refused, with the time of 410 being now; it is not processed.
        case refuse(APNsReason)
        /// It is refused when its header is there, before its body; not processed.
        case refuseAtHead(APNsReason)
        /// RST_STREAM(REFUSED_STREAM); not processed.
        case refuseStream
        /// RST_STREAM(INTERNAL_ERROR).
        case reset(processed: Bool)
        /// The TCP connection is reset, with all that is under way on it.
        case disconnect(processed: Bool)
        /// GOAWAY with this reason, if any, and the stream before this one as the last; this push is not processed.
        case goAway(reason: String?)
        /// GOAWAY with no error and this stream as the last; the push is processed, and the connection closed unanswered.
        case goAwayProcessed
        /// No answer, ever.
        case stall(processed: Bool)
        /// The answer comes this many milliseconds later; other faults may hit the push besides.
        case delay(milliseconds: Int64)
    }

    /// What goes wrong.
    package var effect: Effect
    /// How often, from 0 for never to 1 for always.
    package var rate: Double
    /// What the draws depend on, with the token and how often it was tried: the same tokens are hit in every run.
    package var seed: UInt64
    /// How many pushes it hits at most; nil for any number.
    package var limit: Int?

    /// Joins them.
    package init(_ effect: Effect, rate: Double = 1, seed: UInt64 = 1, limit: Int? = nil) {
        self.effect = effect
        self.rate = rate
        self.seed = seed
        self.limit = limit
    }
}

/// What the faults do to one push.
struct FaultDraw {
    /// The first that hit.
    var effect: Fault.Effect?
    /// How late the answer comes.
    var delay: Int64 = 0
}
