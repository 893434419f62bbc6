extension AudienceExplanation.Skip {
    /// Devices that get nothing for this reason, in English: `20,000 not seen for 90 days`.
    package func words(_ devices: Int, staleAfter: Duration) -> String {
        let count = devices.grouped
        return switch self {
        case .android: "\(count) Android: no way to them here"
        case .otherPlatform: "\(count) of another platform or without a token"
        case .invalid: devices == 1 ? "1 dead token" : "\(count) dead tokens"
        case .stale: "\(count) not seen for \(staleAfter.inDays.map { "\($0) days" } ?? staleAfter.configurationText)"
        case .otherProfile: "\(count) of another deviceProfile or topic"
        case .tooLarge: "\(count) too large with values of their own"
        case .heldOut: "\(count) held out"
        case .capped: "\(count) capped"
        }
    }
}

extension Duration {
    /// The number of days, if it is whole and more than one.
    package var inDays: Int64? {
        let (days, rest) = wholeSeconds.quotientAndRemainder(dividingBy: 86_400)
        return rest == 0 && days > 1 ? days : nil
    }
}

extension [AudienceExplanation.Skip: Int] {
    /// The reasons for which devices are left out with their numbers, the largest first.
    package var byNumber: [(reason: AudienceExplanation.Skip, devices: Int)] {
        AudienceExplanation.Skip.allCases.compactMap { reason in
            self[reason].flatMap { $0 > 0 ? (reason, $0) : nil }
        }
        .sorted { $0.devices > $1.devices }
    }
}
