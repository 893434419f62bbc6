internal import PushConfig
internal import PushModel

/// What an import is about to write, and what it leaves out.
struct ImportDraft: Sendable {
    /// A file that does not exist yet.
    struct File: Sendable {
        /// Its path in the workspace.
        let path: String
        /// What it holds.
        let text: String
        /// What is in it, for people: `12 channels`.
        let summary: String
    }

    /// Something that stays out, and why.
    struct Skipped: Sendable {
        let what: String
        let reason: String
        /// Whether the remote holds something that no file says now.
        let isLoss: Bool
    }

    /// Where everything goes, below the workspace's folder.
    static let folder = "imported"
    /// Documents a file: far below what one file may hold.
    static let documentsPerFile = 2000

    var files: [File] = []
    var skipped: [Skipped] = []
    /// What a person should know of what was written.
    var remarks: [String] = []

    /// Adds documents of one kind, in files that are not there yet.
    ///
    /// - Parameter exists: whether a path of the workspace is taken.
    mutating func add(
        _ documents: [String], to name: String, summary: (Int) -> String, exists: (String) -> Bool
    ) {
        var rest = documents[...]
        var number = 1
        while !rest.isEmpty {
            let path = "\(Self.folder)/\(name)\(number == 1 ? "" : "-\(number)").yaml"
            number += 1
            guard !exists(path) else { continue }
            let part = rest.prefix(Self.documentsPerFile)
            files.append(File(path: path, text: part.joined(separator: "---\n"), summary: summary(part.count)))
            rest = rest.dropFirst(part.count)
        }
    }

    mutating func skip(_ what: String, _ reason: String, isLoss: Bool = true) {
        skipped.append(Skipped(what: what, reason: reason, isLoss: isLoss))
    }
}
