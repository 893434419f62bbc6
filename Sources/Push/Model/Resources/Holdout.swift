internal import Base

/// A share of all devices that gets nothing, so that the effect of pushes can be measured against them.
///
/// Source: docs/features/holdout.md#holdout.
package struct Holdout: Hashable, Sendable {
    /// The share of devices that is held out: more than 0 %, less than 100 %.
    package var share: Share
    /// The word that decides which devices these are; another word gives other devices.
    package var salt: String
    /// The labels of campaigns that reach everybody all the same; a campaign must have all of them.
    package var exempt: [String: String]

    package init(share: Share, salt: String, exempt: [String: String] = [:]) {
        self.share = share
        self.salt = salt
        self.exempt = exempt
    }

    /// For people: `5% by 2027-q1`.
    package var reason: Reason { Reason(.holdout, .text(share.text), .text(salt)) }

    /// True when campaigns with these labels reach everybody.
    package func exempts(_ labels: [String: String]) -> Bool { exempt.covers(labels) }
}

/// A limit on the deliveries that reach one device within a time.
///
/// Source: docs/features/holdout.md#frequency.
package struct FrequencyRule: Hashable, Sendable {
    /// The most deliveries to a device, among ``countable``.
    package var most: Int
    /// The time before each delivery in which they count.
    package var per: Duration
    /// The labels of campaigns that are never limited; a campaign must have all of them.
    package var exempt: [String: String]

    /// The limits that deliveries are counted up to.
    package static let countable = 1...255

    package init(most: Int, per: Duration, exempt: [String: String] = [:]) {
        self.most = most
        self.per = per
        self.exempt = exempt
    }

    /// For people: `2 per 24h`.
    package var text: String { "\(most.grouped) per \(per.configurationText)" }

    /// True when campaigns with these labels are not limited.
    package func exempts(_ labels: [String: String]) -> Bool { exempt.covers(labels) }
}

extension [String: String] {
    /// True when labels have all of these, of which there is at least one.
    fileprivate func covers(_ labels: [String: String]) -> Bool {
        !isEmpty && allSatisfy { labels[$0.key] == $0.value }
    }
}

extension Holdout {
    package static let fields = FieldTable<Self>(
        "Workspace.policy.holdout", "A share of all devices that gets nothing, for comparison; straight to Apple only",
        "对照组：这一比例的设备什么都不收，用于比较；仅限直连 Apple", blank: Holdout(share: .whole, salt: ""),
        [
            FieldRow(
                required: "share", .share, "The share of devices, more than 0% and less than 100%",
                "设备比例，大于 0% 且小于 100%", { $0.share }, { $0.share = $1 }),
            FieldRow(
                required: "salt", .text, "The word that decides which devices these are; another word, other devices",
                "决定选中哪些设备的词；换一个词就换一批设备", { $0.salt }, { $0.salt = $1 }),
            FieldRow(
                "exempt", .texts(keys: .label), "Campaigns with all of these labels reach everybody",
                "带有全部这些标签的推送活动不受影响，照常发给所有设备", unless: [:], { $0.exempt }, { $0.exempt = $1 }),
        ])
}

extension FrequencyRule {
    package static let fields = FieldTable<Self>(
        "Workspace.policy.frequency", "A limit on the deliveries to one device; straight to Apple only",
        "同一台设备收到的投递次数上限；仅限直连 Apple", blank: FrequencyRule(most: 1, per: .zero),
        [
            FieldRow(
                required: "most", .integer(.integer(FrequencyRule.countable)),
                "The most deliveries to a device within the time",
                "一台设备在这段时间内最多收到几次投递", { $0.most }, { $0.most = $1 }),
            FieldRow(
                required: "per", .duration, "The time, counted back from each delivery",
                "时间长度，从每次投递往前算", { $0.per }, { $0.per = $1 }),
            FieldRow(
                "exempt", .texts(keys: .label), "Campaigns with all of these labels are not limited; they count",
                "带有全部这些标签的推送活动不受限制，但仍计入次数", unless: [:], { $0.exempt }, { $0.exempt = $1 }),
        ])
}

/// A share of devices or answers, in ten-thousandths: `10%` is 1,000.
package struct Share: Hashable, Comparable, Sendable {
    /// From 0 to ``whole``.
    package let parts: Int

    /// All of them: 10,000 parts.
    package static let whole = Share(parts: 10_000)

    package init(parts: Int) { self.parts = parts }

    /// Parses `1%`, `0.5%`, `2.25%`; nil for anything else, or more than 100%.
    package init?(_ text: String) {
        guard text.last == "%" else { return nil }
        let numbers = text.dropLast().split(separator: ".", omittingEmptySubsequences: false)
        let isNumber = numbers.allSatisfy { part in
            (1...3).contains(part.utf8.count) && part.utf8.allSatisfy(\.isDigit)
        }
        guard isNumber, (1...2).contains(numbers.count), let percent = Int(numbers[0]) else { return nil }
        let fraction = numbers.count == 2 ? String(numbers[1]) : ""
        guard fraction.utf8.count <= 2, let hundredths = Int((fraction + "00").prefix(2)) else { return nil }
        let parts = percent * 100 + hundredths
        guard parts <= Self.whole.parts else { return nil }
        self.parts = parts
    }

    /// The share as in files: `1%`, `0.5%`.
    package var text: String {
        let (percent, hundredths) = parts.quotientAndRemainder(dividingBy: 100)
        if hundredths == 0 { return "\(percent)%" }
        return hundredths % 10 == 0
            ? "\(percent).\(hundredths / 10)%" : "\(percent).\(hundredths < 10 ? "0" : "")\(hundredths)%"
    }

    /// The share as a number from 0 to 1.
    package var fraction: Double { Double(parts) / 10_000 }

    /// The expected number among so many, rounded.
    package func of(_ count: Int) -> Int { Int((Double(count) * fraction).rounded()) }

    package static func < (lhs: Self, rhs: Self) -> Bool { lhs.parts < rhs.parts }
}

/// Sorts devices into 10,000 buckets, by which stages, variants and holdouts divide an audience.
///
/// The bucket of a device depends on its installation's objectId and a salt alone: another salt gives other people.
package struct Buckets: Hashable, Sendable {
    /// The text that sets this division apart: a delivery's id, or a word from the files.
    package let salt: String
    /// The bytes before each key.
    private let start: [UInt8]

    package init(salt: String) {
        self.salt = salt
        start = Array("bugle-bucket\n\(salt)\n".utf8)
    }

    /// The bucket of a key, from 0 to 9,999.
    ///
    /// The first 8 bytes, big-endian, of SHA-256 over `bugle-bucket\n`, the salt, `\n` and the key in UTF-8, modulo
    /// 10,000.
    package func bucket(of key: [UInt8]) -> Int {
        Int(SHA256Prefix.value(of: start, key) % UInt64(Share.whole.parts))
    }
}
