internal import ArgumentParser

/// What tells the one comment of a pull request from all others: its first line, which nobody sees.
struct CommentMarker: ExpressibleByArgument, Hashable, Sendable {
    /// Which comment, where a pull request has several; letters, digits and `-`, at most 64.
    let id: String

    /// Nil for an id of anything else.
    init?(argument: String) {
        let isPlain = argument.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
            case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"): true
            default: false
            }
        }
        // `--` would end the HTML comment too early for some readers.
        guard isPlain, !argument.isEmpty, argument.utf8.count <= 64, !argument.contains("--") else { return nil }
        id = argument
    }

    /// The comment on the plan.
    static let plan = CommentMarker(id: "plan")

    private init(id: String) { self.id = id }

    /// As help shows a default.
    var defaultValueDescription: String { id }

    /// The line.
    var line: String { "<!-- bugle:\(id) -->" }

    /// Whether a comment begins with it; the marker further down is somebody's quotation.
    func begins(_ body: String) -> Bool {
        let first = body.unicodeScalars.prefix { $0 != "\n" && $0 != "\r" }
        return String(String.UnicodeScalarView(first)).trimmingSpaces == line
    }
}
