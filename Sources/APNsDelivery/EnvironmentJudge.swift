package import PushModel

/// Judges from the answers of a delivery whether it goes to the right one of Apple's environments, so that a mix-up
/// never wipes a registry.
///
/// A plain count: it is told every answer.
package struct EnvironmentJudge: Hashable, Sendable {
    /// Answers so far: accepted or refused.
    package private(set) var answers: Int
    /// How many of them were 200.
    package private(set) var accepted: Int
    /// How many of them were `BadDeviceToken`.
    package private(set) var badTokens: Int

    /// The answers from which the share of bad tokens says something.
    package static let enough = 200

    /// Starts to count, or goes on where a delivery was interrupted.
    package init(answers: Int = 0, accepted: Int = 0, badTokens: Int = 0) {
        self.answers = answers
        self.accepted = accepted
        self.badTokens = badTokens
    }

    /// Counts an answer; a request that was not sent, or was not answered, is none.
    package mutating func note(_ answer: Verdict) {
        switch answer {
        case .accepted:
            answers += 1
            accepted += 1
        case .refused(let proof):
            answers += 1
            if case .apple(.badDeviceToken, _) = proof { badTokens += 1 }
        case .notSent, .unknown: break
        }
    }

    /// Whether the delivery must stop: over 20 % of at least 200 answers were `BadDeviceToken`. Apple closes such
    /// connections.
    package var isWrongEnvironment: Bool { answers >= Self.enough && badTokens * 5 > answers }

    /// Whether `BadDeviceToken` marks any token, and not only one that was accepted in this environment before: at least
    /// 90 % of the answers were 200.
    package var isRightEnvironment: Bool { answers > 0 && accepted * 10 >= answers * 9 }
}
