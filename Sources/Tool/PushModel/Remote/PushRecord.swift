/// A push as the service recorded it.
package struct PushRecord: Hashable, Sendable {
    /// Where a push stands; only a word that the service documents says so.
    package enum Standing: Hashable, Sendable {
        /// The service has it and has not begun with it.
        case queued
        /// It is kept for later.
        case scheduled
        /// The service is done with it.
        case done
        /// The service refused it.
        case refused(RecordedRefusal)
        /// The record says something that is not documented.
        case unknown(String)
    }

    /// The service's id of the push.
    package var objectID: String?
    /// Where it stands.
    package var standing: Standing
    /// What was counted so far.
    package var figures: DeliveryFigures

    /// Joins them.
    package init(objectID: String?, _ standing: Standing, figures: DeliveryFigures) {
        self.objectID = objectID
        self.standing = standing
        self.figures = figures
    }

    /// Whether its figures are final.
    package var isDone: Bool { standing == .done }

    /// Why nobody can tell whether anything was sent; nil: it is known. What reached a device was sent, whatever else
    /// the record says.
    package var doubt: String? {
        guard case .unknown(let word) = standing, !figures.hasReached else { return nil }
        return "its record says '\(word)', which is not documented"
    }
}

/// Every text with which a record of LeanCloud's is documented to say that nothing was sent.
///
/// Source: <doc:LeanCloudPush#Limits>.
package enum RecordedRefusal: String, Hashable, Sendable, CaseIterable {
    /// More than 20,000 devices and a development certificate.
    case massiveDevelopmentPush = "dev profile disabled for massive push"
}
