package import DeviceRegistry
package import Push

/// The outcome of an engine's run.
package enum DeliveryEnding: Hashable, Sendable {
    /// Every device has its answer, or counts as in doubt or missed; the journal is closed.
    case ended(JournalFigures)
    /// No device was ever sent to, in this run or before; nothing was closed.
    case nothingSent(DeliveryStop)
    /// Some devices were or may have been sent to, others are still waiting: the next run resumes.
    case interrupted(DeliveryStop)
}

/// The reason a delivery stopped before its end.
package enum DeliveryStop: Hashable, Sendable, CustomStringConvertible {
    /// The run was asked to stop.
    case asked
    /// The lock is lost, or may not hold long enough.
    case lockLost
    /// The delivery's time is over, for this reason.
    case over(String)
    /// Nothing is wrong, but nothing may or can be sent for a while: the reason, and the end of the wait.
    case postponed(String, until: Instant?)
    /// Apple refuses the whole delivery rather than a device.
    case refused(APNsReason)
    /// Too many bad tokens, so they belong to another environment; the numbers are bad tokens and answers.
    case wrongEnvironment(bad: Int, answers: Int)
    /// Apple cannot be reached or does not answer; the last reason.
    case unreachable(String)
    /// A profile's certificate or key cannot be used.
    case credential(profile: String, SenderError)
    /// This machine lacks something, such as threads.
    case machine(String)
    /// The registry failed, or refuses the audience.
    case registry(RegistryError)
    /// The audience that was to be frozen has a size that is not allowed.
    case audience(JournalFigures)
    /// The journal does not match the request, as described.
    case mismatch(String)
    /// A stage was judged, and a person decides about the next one.
    case judged(StageVerdict)

    /// Converts the denial of a request.
    init(_ denial: Denial) {
        switch denial {
        case .lockLost: self = .lockLost
        case .over(let why): self = .over(why.text)
        case .quietHours(let until):
            self = .postponed(denial.reason.text, until: until)
        }
    }

    /// One sentence without a full stop.
    package var description: String {
        switch self {
        case .asked: "it was asked to stop"
        case .lockLost: "the lock was lost"
        case .over(let why), .machine(let why): why
        case .postponed(let why, let until): until.map { "\(why), until \($0.isoText)" } ?? why
        case .refused(let reason): reason.explanation
        case .wrongEnvironment(let bad, let answers):
            "wrongEnvironment: \(bad) of \(answers) answers are BadDeviceToken, so the tokens are another environment's; "
                + "check 'environment' of the campaign and its DeviceProfiles"
        case .unreachable(let reason): "Apple cannot be reached: \(reason)"
        case .credential(let profile, let error): "DeviceProfile \(profile): \(error)"
        case .registry(let error):
            error.isInternal && !error.isFileLost ? "the registry failed: \(error)" : error.description
        case .audience(let figures): "the audience has \(figures.targets) devices by now, which is not allowed"
        case .mismatch(let how): "the journal does not match the request: \(how)"
        case .judged(let verdict):
            "stage \(verdict.stage) \(verdict.decision == .halt ? "halts" : "holds"): \(verdict.rule.text)"
        }
    }
}
