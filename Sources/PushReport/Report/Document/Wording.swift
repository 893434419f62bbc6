internal import Push

/// Texts of reports that are the same in every language.
enum Wording {
    /// A commit in short form: the first seven digits of a full hash.
    static func commit(_ text: String) -> String {
        let isHash = text.utf8.count >= 40 && text.allSatisfy { $0.isASCII && $0.isHexDigit }
        return isHash ? String(text.prefix(7)) : text
    }
}

extension Language {
    /// `312 of 4,096 bytes`.
    func size(_ payload: PlannedPayload) -> String { say(.size(bytes: payload.bytes, limit: payload.limit)) }

    /// `last applied abc1234, 2 h ago, by github run 812`.
    func lastApplied(_ last: LastApplied, now: Instant) -> String {
        let age = now > last.at ? now - last.at : .zero
        return say(.lastApplied(commit: last.commit.map(Wording.commit), ago: age, run: last.run))
    }

    /// The devices that rules leave out of an audience, and those that nothing was sent to in time: `650 held out`.
    func lost(_ leftOut: [AudienceExplanation.Skip: Int], missed: Int = 0) -> [String] {
        let rules: [AudienceExplanation.Skip] = [.heldOut, .capped, .tooLarge]
        let parts = rules.compactMap { rule in
            leftOut[rule].flatMap { $0 > 0 ? say(rule.reason($0, staleAfter: AudienceCount.threeMonths)) : nil }
        }
        return missed > 0 ? parts + [say(.missedDevices(missed))] : parts
    }

    /// The word for a kind of resource.
    func word(_ kind: ResourceKind) -> String {
        switch kind {
        case .deviceProfile: say(.deviceProfileKind)
        case .channel: say(.channelKind)
        case .segment: say(.segmentKind)
        case .campaign: say(.campaignKind)
        }
    }
}
