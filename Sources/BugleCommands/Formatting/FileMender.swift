internal import Base
internal import Push
internal import PushReport

/// Makes the mends of a workspace's files: it shows them as a difference, asks, and writes.
struct FileMender {
    let bench: Workbench

    /// A file that is to be written.
    private struct Draft {
        let file: WorkspaceFile
        let before: [UInt8]
        let after: [UInt8]
    }

    /// What has become of the files.
    enum Ending {
        /// They were written.
        case mended
        /// There was nothing to write.
        case nothing
        /// Nobody agreed, or nobody could be asked.
        case unconfirmed
    }

    /// Shows, asks and writes; with `isApproved` nobody is asked. The difference goes to standard output, or to standard
    /// error when another format goes there.
    ///
    /// - Throws: ``Failure`` when a file cannot be read or written, or changed in the meantime.
    func mend(isApproved: Bool, showsOnOutput: Bool) throws -> Ending {
        let (console, folder) = (bench.console, bench.loaded.folder)
        let files = WorkspaceLoader.files(directory: folder, displayedAs: bench.displayName).files
        let drafts = try files.compactMap { file -> Draft? in
            let bytes = try InputFile.read(file.realPath)
            return WorkspaceLoader.mended(bytes, folder: folder).map { Draft(file: file, before: bytes, after: $0) }
        }
        guard !drafts.isEmpty else { return .nothing }
        let shown = drafts.map(Self.difference).joined()
        showsOnOutput ? console.output(shown) : console.error(shown)
        if !isApproved {
            guard console.canAsk else {
                console.say("bugle: nothing was changed: there is nobody to ask; use --auto-approve")
                return .unconfirmed
            }
            guard console.confirms("Write these changes?") else {
                console.say("Nothing was changed.")
                return .unconfirmed
            }
        }
        for draft in drafts {
            guard try InputFile.read(draft.file.realPath) == draft.before else {
                throw Failure(
                    .failed, "\(draft.file.name) was changed while it was mended; it is left as it is, run it again")
            }
            try OutputFile.replace(draft.file.realPath, with: draft.after)
        }
        return .mended
    }

    /// The lines that differ, as a unified difference; one that may hold a secret is not shown.
    private static func difference(_ draft: Draft) -> String {
        let name = draft.file.name
        let (before, after) = (SourceFiles([name: draft.before]), SourceFiles([name: draft.after]))
        var text = "--- \(escaped(name))\n+++ \(escaped(name))\n"
        var number = 1
        while let old = before.line(number, of: name), let new = after.line(number, of: name) {
            if old != new {
                let lines = [("-", before), ("+", after)].map { sign, source in
                    sign + escaped(source.shownLine(number, of: name) ?? "(a line that may hold a secret)") + "\n"
                }
                text += "@@ -\(number) +\(number) @@\n" + lines.joined()
            }
            number += 1
        }
        return text
    }
}
