internal import Push

/// The journal of one delivery, without its devices.
struct JournalRow {
    let delivery: String
    let workspace: String
    var environment: String
    var batchSize: Int
    var raisesBadges: Bool
    /// The id of the attempt that writes the audience; nil when it is complete.
    var freezing: String?
    var targets = 0
    /// The number of devices that waited for a retry when the delivery was closed.
    var missed = 0
    /// The number of devices left out of the audience by reason, as JSON.
    var leftOut = "{}"
    var reopenedAt: Instant?
    var closedAt: Instant?
}

/// A claim on a batch.
struct BatchClaim {
    let claimant: String
    let fence: Int
    let at: Instant
}

/// A batch of a journal.
package struct BatchRow: Sendable {
    let delivery: String
    let number: Int
    /// The part of the devices; 0 for an undivided audience.
    let part: Int
    /// The form of the message that they get.
    let form: Int
    /// The route's profile.
    let profile: String
    var state = BatchState.fresh
    var claim: BatchClaim?
    /// The devices; empty once the batch has ended.
    let targets: TargetPack
    var tries = TargetTries()
    /// Each device's own texts; empty when the message has no values of devices.
    var texts: [[String]] = []
}

/// The outcome of a batch.
struct BatchEnding {
    let state: BatchState
    var settledAt: Instant?
    var accepted = 0
    /// The number of devices that would have been retried if the delivery had not been closed.
    var missed = 0
}

/// A device of a journal that was not accepted.
package struct TargetRow {
    /// The device token, in lower case.
    package let token: String
    /// The number of its installation; 0 for an unregistered device.
    package let row: Int64
    let part: Int
    let form: Int
    /// Its own texts.
    let texts: [String]
    let profile: String
    let badge: Int
    /// The number of attempts.
    package let attempts: Int
    var state: TargetState
    var dueAt: Instant?
    var reason: String?
}

/// The devices of a part's batches in one state.
struct BatchSum {
    let part: Int
    let form: Int
    let state: BatchState
    let devices, accepted, missed: Int
    /// The time when the last of them was settled.
    let settledAt: Instant?
}

/// The number of a part's devices with one state and reason that were not accepted.
struct TargetSum {
    let part: Int
    let form: Int
    let state: TargetState
    let reason: String
    let devices: Int
}

/// The state of a batch.
package enum BatchState: Int64, Sendable {
    /// The batch has not been claimed.
    case fresh = 0
    /// The batch is being sent.
    case open = 1
    /// The outcome is known.
    case settled = 2
    /// The outcome is in doubt.
    case givenUp = 3
    /// The delivery was closed before the batch was claimed.
    case missed = 4
}

/// The state of a device that was not accepted.
package enum TargetState: Int64 {
    /// The push was refused for good.
    case refused = 0
    /// The device will be retried.
    case waits = 1
    /// The outcome is unknown.
    case inDoubt = 2
}
