internal import ArgumentParser

/// The hidden first line that identifies a pull request's sticky comment.
struct CommentMarker: ExpressibleByArgument, Hashable, Sendable {
    /// The id of the comment, for pull requests with several: letters, digits and `-`, at most 64.
    let id: String

    /// Creates a marker; nil for an invalid id.
    init?(argument: String) {
        let isPlain = argument.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
            case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"): true
            default: false
            }
        }
        // `--` would end the HTML comment too early in some parsers.
        guard isPlain, !argument.isEmpty, argument.utf8.count <= 64, !argument.contains("--") else { return nil }
        id = argument
    }

    /// The marker of the plan's comment.
    static let plan = CommentMarker(id: "plan")

    private init(id: String) { self.id = id }

    /// The default value as shown in help.
    var defaultValueDescription: String { id }

    /// The line of Markdown.
    var line: String { "<!-- bugle:\(id) -->" }

    /// True if a comment begins with the marker; further down it is a quotation.
    func begins(_ body: String) -> Bool {
        let first = body.unicodeScalars.prefix { $0 != "\n" && $0 != "\r" }
        return String(String.UnicodeScalarView(first)).trimmingSpaces == line
    }
}
