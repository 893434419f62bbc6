package import Base
package import Push

/// The rules of a policy in a recorded request, without the labels that exempt others.
extension Holdout {
    /// The share and the word.
    package var json: JSONValue { ["share": .string(share.text), "salt": .string(salt)] }

    /// Reads what ``json`` wrote; nil for anything else.
    package init?(_ json: JSONValue) {
        guard json.object?.count == 2, let share = json["share"]?.string.flatMap({ Share($0) }),
            let salt = json["salt"]?.string
        else { return nil }
        self.init(share: share, salt: salt)
    }
}

extension FrequencyRule {
    /// The number, and the time in seconds.
    package var json: JSONValue { ["most": .integer(Int64(most)), "per": .integer(per.wholeSeconds)] }

    /// Reads what ``json`` wrote; nil for anything else.
    package init?(_ json: JSONValue) {
        guard json.object?.count == 2, let most = json["most"]?.integer, FrequencyRule.countable.contains(Int(most)),
            let per = json["per"]?.integer, per > 0
        else { return nil }
        self.init(most: Int(most), per: .seconds(per))
    }

    /// Reads a list of rules; nil for anything else.
    package static func list(_ json: JSONValue) -> [FrequencyRule]? {
        guard let elements = json.array else { return nil }
        let rules = elements.compactMap { FrequencyRule($0) }
        return rules.count == elements.count ? rules : nil
    }
}
