package import Base

extension Audience {
    /// The audience in words: `channel Giants, where scores = true`; never a device token.
    package var reason: Reason {
        guard devices.isEmpty else {
            let digest = Digest(of: .array(devices.map { .string($0) }))
            return Reason(
                devices.count == 1 ? .listedDevice : .listedDevices, .number(devices.count),
                .text(platforms.first?.rawValue ?? ""), .text(digest.shortText))
        }
        let parts = [
            everyone ? Reason(.everyone) : nil, Self.listed(channels, .channel, .channels),
            Self.listed(segments, .segment, .segments),
            condition.map { Reason(.condition, .text(Self.describe($0))) },
            Self.listed(platforms.sorted().map(\.rawValue), .platform, .platforms),
            deviceProfile.map { Reason(.deviceProfile, .text($0)) },
        ]
        return .joined(parts.compactMap(\.self), by: .both) ?? .verbatim("")
    }

    private static func listed(_ names: [String], _ one: Reason.Setting, _ many: Reason.Setting) -> Reason? {
        guard names.count > 1, let last = names.last else { return names.first.map { Reason(one, .text($0)) } }
        return Reason(many, .text(names.dropLast().joined(separator: ", ")), .text(last))
    }

    /// A simple condition in words, any other as JSON.
    package static func describe(_ condition: JSONValue) -> String {
        let members = (condition.object ?? [:]).sorted { $0.key < $1.key }
        return members.map { key, value in
            if key == "$or" || key == "$and", let parts = value.array, parts.allSatisfy({ !($0.object ?? [:]).isEmpty })
            {
                return "(" + parts.map(describe).joined(separator: key == "$or" ? " or " : " and ") + ")"
            }
            guard let operators = value.object, operators.keys.contains(where: { $0.hasPrefix("$") }) else {
                return "\(key) = \(value.canonicalText)"
            }
            let words = operators.sorted { $0.key < $1.key }.map { name, operand in
                sign(of: name).map { "\(key) \($0) \(operand.canonicalText)" }
            }
            let known = words.compactMap { $0 }
            return known.count == words.count
                ? known.joined(separator: " and ") : "\(key) \(value.canonicalText)"
        }
        .joined(separator: " and ")
    }

    private static func sign(of name: String) -> String? {
        switch name {
        case "$ne": "≠"
        case "$gt": ">"
        case "$gte": "≥"
        case "$lt": "<"
        case "$lte": "≤"
        case "$in": "in"
        case "$nin": "not in"
        default: nil
        }
    }
}
