package import JSONValue

extension Audience {
    /// The audience in words: `channel Giants, where scores = true`; never a device token.
    package var description: String {
        if !devices.isEmpty {
            let platform = platforms.first.map { " (\($0.rawValue))" } ?? ""
            let digest = Digest(of: .array(devices.map { .string($0) }))
            return "\(devices.count) listed device\(devices.count == 1 ? "" : "s")\(platform), \(digest.shortText)"
        }
        var parts: [String] = []
        if everyone { parts.append("everyone") }
        if !channels.isEmpty { parts.append((channels.count == 1 ? "channel " : "channels ") + listed(channels, "or")) }
        if !segments.isEmpty {
            parts.append((segments.count == 1 ? "segment " : "segments ") + listed(segments, "and"))
        }
        if let condition { parts.append("where " + Self.describe(condition)) }
        if !platforms.isEmpty { parts.append("on " + listed(platforms.sorted().map(\.rawValue), "or")) }
        if let deviceProfile { parts.append("deviceProfile \(deviceProfile)") }
        return parts.joined(separator: ", ")
    }

    private func listed(_ names: [String], _ word: String) -> String {
        guard names.count > 1, let last = names.last else { return names.first ?? "" }
        return names.dropLast().joined(separator: ", ") + " \(word) " + last
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
