package import Push

/// An event of a notification, as an app reports it: docs/server/what-devices-call.md#events.
package struct DeviceEvent: Hashable, Sendable {
    /// The delivery, by the id in the notification's payload.
    package var delivery: String
    /// The `objectId` of the installation.
    package var installation: String
    /// The kind of event.
    package var kind: Kind
    /// The time by the device's clock; nil for the time when the report arrives.
    package var at: Instant?

    /// The tolerated difference between a device's clock and the database's: an event that is dated later than now, or
    /// earlier than its delivery, by more than this is refused.
    package static let clockSkew = Duration.seconds(300)

    /// The kinds of events. A delivery has at most one of each for an installation.
    package enum Kind: Int64, Hashable, Sendable, CaseIterable {
        /// The notification arrived on the device.
        case received = 0
        /// A person opened the app by it.
        case opened = 1
        /// A person removed it.
        case dismissed = 2

        /// The word in the report.
        package var name: String {
            switch self {
            case .received: "received"
            case .opened: "opened"
            case .dismissed: "dismissed"
            }
        }

        /// The kind with this word; nil for another word.
        package init?(name: String) {
            guard let kind = Self.allCases.first(where: { $0.name == name }) else { return nil }
            self = kind
        }
    }

    /// What becomes of a report.
    package enum Fate: Hashable, Sendable {
        /// It is counted, once however often it is reported.
        case accepted
        /// It is not counted and never will be: the delivery was not sent to the installation, counts no events, or its
        /// time is over.
        case refused
        /// It cannot be told yet: the delivery is under way, and the answer of Apple may not be recorded.
        case later
    }

    package init(delivery: String, installation: String, kind: Kind, at: Instant? = nil) {
        self.delivery = delivery
        self.installation = installation
        self.kind = kind
        self.at = at
    }
}

extension EventFigures {
    /// The devices that reported an event of a kind.
    package func devices(_ kind: DeviceEvent.Kind) -> Int {
        switch kind {
        case .received: received
        case .opened: opened
        case .dismissed: dismissed
        }
    }
}

/// The retention of the events of a delivery; a delivery without one counts none.
package struct EventRetention: Hashable, Sendable {
    /// The time for which single events are kept, and late ones accepted, after the end of the delivery.
    package var keep: Duration
    /// The last expiration of its notifications; nil when unknown: then only the closing of the delivery counts.
    package var expiresAt: Instant?

    package init(keep: Duration, expiresAt: Instant? = nil) {
        self.keep = keep
        self.expiresAt = expiresAt
    }
}
