extension AudienceExplanation.Skip {
    /// Devices that get nothing, by reason: `20,000 not seen for 90 days`.
    package func reason(_ devices: Int, staleAfter: Duration) -> Reason {
        let count = Reason.Value.count(devices)
        switch self {
        case .android: return Reason(.androidOut, count)
        case .otherPlatform: return Reason(.otherPlatform, count)
        case .invalid: return Reason(devices == 1 ? .deadToken : .deadTokens, count)
        case .stale:
            let (days, rest) = staleAfter.wholeSeconds.quotientAndRemainder(dividingBy: 86_400)
            return rest == 0 && days > 1
                ? Reason(.staleDays, count, .number(Int(days))) : Reason(.stale, count, .duration(staleAfter))
        case .otherProfile: return Reason(.otherProfile, count)
        case .tooLarge: return Reason(.tooLarge, count)
        case .heldOut: return Reason(.heldOut, count)
        case .capped: return Reason(.capped, count)
        }
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
