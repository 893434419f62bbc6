internal import Push

/// The files that an import is about to write, and the objects it skips.
struct ImportDraft: Sendable {
    /// A file that does not exist yet.
    struct File: Sendable {
        /// The path in the workspace.
        let path: String
        /// The content.
        let text: String
        /// A summary of the content: `12 channels`.
        let summary: String
    }

    /// A skipped object and the reason.
    struct Skipped: Sendable {
        let what: String
        let reason: String
        /// True if the remote holds something that no file declares now.
        let isLoss: Bool
    }

    /// The folder for imported files, relative to the workspace.
    static let folder = "imported"
    /// The maximum number of documents per file: far below the limit on one file.
    static let documentsPerFile = 2000

    var files: [File] = []
    var skipped: [Skipped] = []
    /// Remarks for the user about the written files.
    var remarks: [String] = []

    /// Adds documents of one kind, in files that do not exist yet; `exists` returns true if a path of the workspace is
    /// taken.
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
