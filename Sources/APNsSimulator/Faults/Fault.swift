/// An injected failure that hits some of the pushes.
package struct Fault: Hashable, Sendable {
    /// The kind of failure, and whether the notification reaches the device all the same.
    package enum Effect: Hashable, Sendable {
        /// The push is refused unprocessed; a 410 carries the current time.
        case refuse(APNsReason)
        /// The push is refused unprocessed as soon as its header has arrived, before its body.
        case refuseAtHead(APNsReason)
        /// The stream is reset with REFUSED_STREAM; the push is not processed.
        case refuseStream
        /// The stream is reset with INTERNAL_ERROR.
        case reset(processed: Bool)
        /// The TCP connection is reset, along with everything in flight on it.
        case disconnect(processed: Bool)
        /// GOAWAY with this reason, if any, and the previous stream as the last one; this push is not processed.
        case goAway(reason: String?)
        /// GOAWAY without an error and this stream as the last one; the push is processed, but the connection closes
        /// unanswered.
        case goAwayProcessed
        /// The push is never answered.
        case stall(processed: Bool)
        /// The response is delayed by this many milliseconds; other faults may hit the push as well.
        case delay(milliseconds: Int64)
    }

    /// The kind of failure.
    package var effect: Effect
    /// The share of pushes it hits, from 0 for none to 1 for all.
    package var rate: Double
    /// The seed of the draws, which also depend on the token and its number of tries: every run hits the same tokens.
    package var seed: UInt64
    /// The most pushes it hits; nil for no limit.
    package var limit: Int?

    package init(_ effect: Effect, rate: Double = 1, seed: UInt64 = 1, limit: Int? = nil) {
        self.effect = effect
        self.rate = rate
        self.seed = seed
        self.limit = limit
    }
}

/// The faults that apply to one push.
struct FaultDraw {
    /// The effect of the first fault that hit.
    var effect: Fault.Effect?
    /// The delay of the response, in milliseconds.
    var delay: Int64 = 0
}
