/// A push as the service recorded it.
package struct PushRecord: Hashable, Sendable {
    /// The status of a push; only a word that the service documents counts.
    package enum Standing: Hashable, Sendable {
        /// The service has the push and has not begun sending it.
        case queued
        /// The push is kept for later.
        case scheduled
        /// The service is done with the push.
        case done
        /// The service refused the push.
        case refused(RecordedRefusal)
        /// The record has an undocumented status.
        case unknown(String)
    }

    /// The service's id of the push.
    package var objectID: String?
    /// The status of the push.
    package var standing: Standing
    /// The figures counted so far.
    package var figures: DeliveryFigures
    /// The reason that the service has not handed the push on yet, in words; nil when it says none. Only bugle-server
    /// does.
    package var wait: Reason?

    package init(objectID: String?, _ standing: Standing, figures: DeliveryFigures, wait: Reason? = nil) {
        self.objectID = objectID
        self.standing = standing
        self.figures = figures
        self.wait = wait
    }

    /// True when the figures are final.
    package var isDone: Bool { standing == .done }

    /// The reason it is unknown whether anything was sent; nil when it is known. A push that reached a device was sent,
    /// whatever else the record says.
    package var doubt: Reason? {
        guard case .unknown(let word) = standing, !figures.hasReached else { return nil }
        return Reason(.recordSays, .text(word))
    }
}

/// The documented texts of a LeanCloud record that mean nothing was sent.
///
/// Source: docs/background/leancloud/push.md#limits.
package enum RecordedRefusal: String, Hashable, Sendable, CaseIterable {
    /// More than 20,000 devices and a development certificate.
    case massiveDevelopmentPush = "dev profile disabled for massive push"
}
