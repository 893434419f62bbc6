package import DeviceRegistry
package import Push

/// Provides what sends a delivery to the devices of one of its routes.
package protocol RouteProviding: Sendable {
    /// The sender for a route of a delivery.
    ///
    /// - Throws: ``SenderError`` when the profile's certificate or key cannot be read or used, or the machine has no
    ///   thread or descriptor left.
    func route(_ route: DeliveryOrder.Route, of job: DeliveryJob) async throws(SenderError) -> any RouteSending
}

/// Sends a delivery to the devices of one route.
package protocol RouteSending: Sendable {
    /// True if the order has the form of a batch, and a place for each of its devices' texts.
    func fits(_ batch: JournalBatch) -> Bool
    /// Sends to the devices of a batch that fits, at most once each, and returns their answers in the same order; an expiration
    /// counts from `start`.
    func send(_ batch: JournalBatch, startingAt start: Instant, through gate: BatchGate) async -> [Verdict]
}

/// The reason there is no sender for a profile, in one sentence without secrets.
package struct SenderError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The fault and what to do, without a full stop.
    package let description: String
    /// True when this machine lacks something, such as threads: nothing is wrong with the credential.
    package let isOfTheMachine: Bool

    package init(_ description: String, isOfTheMachine: Bool = false) {
        self.description = description
        self.isOfTheMachine = isOfTheMachine
    }
}
