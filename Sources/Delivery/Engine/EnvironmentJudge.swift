package import Push

/// Judges from a delivery's answers whether it uses the right one of Apple's environments, so that a mix-up never wipes
/// a registry.
///
/// A plain counter; every answer must be reported to it.
package struct EnvironmentJudge: Hashable, Sendable {
    /// Answers so far: accepted or refused.
    package private(set) var answers: Int
    /// The number of 200 answers.
    package private(set) var accepted: Int
    /// The number of `BadDeviceToken` answers.
    package private(set) var badTokens: Int

    /// The number of answers from which the share of bad tokens is significant.
    package static let enough = 200

    /// Starts counting, or resumes the counts of an interrupted delivery.
    package init(answers: Int = 0, accepted: Int = 0, badTokens: Int = 0) {
        self.answers = answers
        self.accepted = accepted
        self.badTokens = badTokens
    }

    /// Counts an answer; a request that was not sent or not answered is not counted.
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

    /// True when the delivery must stop: over 20 % of at least 200 answers were `BadDeviceToken`. Apple closes such
    /// connections.
    package var isWrongEnvironment: Bool { answers >= Self.enough && badTokens * 5 > answers }

    /// True when `BadDeviceToken` marks any token, not only one that was accepted in this environment before: at least
    /// 90 % of the answers were 200.
    package var isRightEnvironment: Bool { answers > 0 && accepted * 10 >= answers * 9 }
}
