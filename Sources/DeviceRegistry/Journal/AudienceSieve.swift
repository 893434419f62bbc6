package import Base
package import Push

/// Leaves out the devices that the rules of a policy hold back from a delivery.
///
/// Source: docs/features/holdout.md.
package struct AudienceSieve: Sendable {
    /// The time before which the registry no longer knows who was reached, although a rule looks back further; nil when
    /// it knows all. Where it is set, the sieve leaves everybody out.
    package let forgotten: Instant?
    /// The number of freezes under frequency rules that were complete when this was made; nil without such rules.
    let turn: Int?
    private let holdout: Holdout?
    private let buckets: Buckets
    private let caps: [Cap]
    /// The numbers of the installations that had a token before.
    private let former: [[UInt8]: [Int64]]

    /// One frequency rule, with the deliveries of each device that count.
    struct Cap: Sendable {
        let most: Int
        let counts: ReachCounts
    }

    /// Creates the sieve of an audience without frequency rules.
    package init(holdout: Holdout?) { self.init(holdout: holdout, caps: [], turn: nil, forgotten: nil) }

    init(
        holdout: Holdout?, caps: [Cap], former: [[UInt8]: [Int64]] = [:], turn: Int?, forgotten: Instant?
    ) {
        self.former = former
        self.holdout = holdout
        buckets = Buckets(salt: holdout?.salt ?? "")
        self.caps = caps
        self.turn = turn
        self.forgotten = forgotten
    }

    /// The fate of a device by these rules too, if a route reaches it.
    ///
    /// `number` is that of its installation. A device that is not registered has nothing but its token, and nobody knows
    /// what it received.
    package func fate(
        _ fate: AudienceFate, _ traits: DeviceTraits, number: Int64, token: [UInt8]
    ) -> AudienceFate {
        guard case .reached = fate else { return fate }
        if let holdout, buckets.bucket(of: traits.key(token)) < holdout.share.parts { return .leftOut(.heldOut) }
        guard forgotten != nil || !caps.isEmpty else { return fate }
        if forgotten != nil || traits.objectID == nil { return .leftOut(.capped) }
        let numbers = [number] + earlier(number, token)
        let isCapped = caps.contains { cap in numbers.reduce(0) { $0 + cap.counts[$1] } >= cap.most }
        return isCapped ? .leftOut(.capped) : fate
    }

    /// The numbers of the other installations that had a token before: what they received, the same device did.
    private func earlier(_ number: Int64, _ token: [UInt8]) -> [Int64] {
        guard !former.isEmpty else { return [] }
        // Bit 5 distinguishes the cases of a letter, and is set in digits.
        return (former[token.map { $0 | 0x20 }] ?? []).filter { $0 != number }
    }
}

/// The properties of a device that decide on its part, on its words, and whether it is left out.
package struct DeviceTraits: Hashable, Sendable {
    /// The `objectId` of the installation in UTF-8; nil when the device is not registered, or nothing depends on it.
    package var objectID: [UInt8]?
    /// The reported time zone in UTF-8; nil when there is none, or nothing depends on it.
    package var timeZone: [UInt8]?
    /// The values of the fields that its words look at.
    package var values: [JSONValue]

    package init(objectID: [UInt8]? = nil, timeZone: [UInt8]? = nil, values: [JSONValue] = []) {
        self.objectID = objectID
        self.timeZone = timeZone
        self.values = values
    }

    /// The text in UTF-8 that decides on the device's bucket: that of a device that is not registered is its token.
    package func key(_ token: [UInt8]) -> [UInt8] {
        objectID ?? Array(String(decoding: token, as: UTF8.self).lowercased().utf8)
    }

    /// The properties that something depends on.
    package struct Kinds: OptionSet, Hashable, Sendable {
        package let rawValue: Int

        package init(rawValue: Int) { self.rawValue = rawValue }

        /// The `objectId` of the installation.
        package static let objectID = Kinds(rawValue: 1)
        /// The `timeZone` of the installation.
        package static let timeZone = Kinds(rawValue: 2)
    }
}
