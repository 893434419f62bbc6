internal import Base
internal import Push

/// Makes up names for imported campaigns.
enum CampaignName {
    /// The maximum length of a campaign's name.
    private static let longest = 63

    /// `scheduled-12-giants-scored`: the push's number, which is unique, and the first words of its text.
    static func make(for push: KeptPush) -> String {
        let words = slug(text(of: push.message["msg"] ?? push.message["data"] ?? [:]))
        let start = "scheduled-\(push.push.id.magnitude)"
        guard !words.isEmpty else { return start }
        var name = Substring("\(start)-\(words)").prefix(longest)
        while name.hasSuffix("-") { name.removeLast() }
        return String(name)
    }

    private static func text(of data: JSONValue) -> String {
        for place in [data, data["ios"] ?? [:], data["aps"] ?? [:], data["android"] ?? [:]] {
            let alert = place["alert"]
            if let text = alert?.string ?? alert?["body"]?.string ?? alert?["title"]?.string { return text }
        }
        return ""
    }

    /// Lower-case letters and digits, with one `-` for everything else; at most about forty characters, cut between
    /// words.
    static func slug(_ text: String) -> String {
        var words: [String] = []
        var length = 0
        for word in text.prefix(400).lowercased().split(whereSeparator: { !isPlain($0) }) {
            length += word.utf8.count + 1
            if length > 40 { break }
            words.append(String(word))
        }
        return words.joined(separator: "-")
    }

    private static func isPlain(_ character: Character) -> Bool {
        ("a"..."z").contains(character) || ("0"..."9").contains(character)
    }
}
