package import Base

/// The approvals of a change as a forge's reviews tell them: the file of `apply --approvals`.
///
/// Source: docs/features/approvals.md#the-file.
package struct ApprovalFile: Hashable, Sendable {
    /// The people who wrote the change: who opened it, and the author of each of its commits.
    package var authors: [String]
    /// The approvals, in any order.
    package var approvals: [Approval]

    /// One approval.
    package struct Approval: Hashable, Sendable {
        /// The person who gave it, and the person's teams.
        package var approver: Approver
        /// Git's hash of the workspace's folder in the commit that was approved; nil: nobody knows it any more.
        package var tree: String?
        /// The time it was given.
        package var at: Instant
        /// True when it was taken back or dismissed.
        package var isDismissed = false
    }

    /// The largest file that is read.
    package static let mostBytes = 1 << 20
    static let mostPeople = 1000

    /// Reads a file.
    ///
    /// - Throws: `RecordError` that names the first faulty member, also when a name occurs twice in an object.
    package static func read(_ bytes: [UInt8]) throws(RecordError) -> ApprovalFile {
        var limits = JSONLimits(depth: 8, bytes: mostBytes)
        limits.hasUniqueNames = true
        let json: JSONValue
        do throws(JSONSyntaxError) {
            json = try JSONValue(parsing: bytes, limits: limits)
        } catch {
            throw RecordError(.other(error.description))
        }
        try ReportHead.check(json)
        let file = try record.read(json)
        guard !file.authors.isEmpty else { throw RecordError(.other("names nobody")).under("authors") }
        return file
    }
}

extension ApprovalFile {
    package static let record = Record<ApprovalFile>(
        ApprovalFile(authors: [], approvals: []),
        [
            Field(
                "formatVersion", .text(pattern: "^\(BugleVersion.majorFormat)[.][0-9]+$"),
                "The version of the format, \(BugleVersion.format).", { _ in BugleVersion.format }, { _, _ in }),
            Field(
                "authors", .list(of: .identity, "A name at the forge.", minimum: 1, maximum: mostPeople),
                "The people who wrote the change: who opened it, and the author of each of its commits.",
                { $0.authors }, { $0.authors = $1 }),
            Field(
                "approvals", .list(of: .record(Approval.record, definedAs: "approval"), maximum: mostPeople),
                "The approvals, in any order; of one person the newest counts.", { $0.approvals },
                { $0.approvals = $1 }),
        ])
}

extension ApprovalFile.Approval {
    /// The record of an approval; every member must be there.
    package static let record = Record<ApprovalFile.Approval>(
        ApprovalFile.Approval(approver: Approver(person: ""), tree: nil, at: .distantPast),
        [
            Field(
                "person", .identity, "The person's name at the forge.", { $0.approver.person },
                { $0.approver.person = $1 }),
            Field(
                "teams", .list(of: .identity, "A team.", maximum: ApprovalFile.mostPeople),
                "The teams that the person is in.", { $0.approver.teams }, { $0.approver.teams = $1 }),
            Field(
                "tree", orNull: .tree, "Git's hash of the workspace's folder in the approved commit; null: not known.",
                { $0.tree }, { root, tree throws(RecordError) in root.tree = tree }),
            Field("at", .time, "The time it was given.", { $0.at }, { $0.at = $1 }),
            Field(
                "dismissed", .flag, "True when it was taken back or dismissed.", { $0.isDismissed },
                { $0.isDismissed = $1 }),
        ])
}

extension JSONForm<String> {
    /// A name of a person or team at a forge.
    fileprivate static var identity: Self {
        text(pattern: "^[^\\s]{1,200}$").checked { name throws(RecordError) in
            let isName = name.unicodeScalars.allSatisfy {
                $0.value > 0x20 && $0.value != 0x7F && !$0.properties.isWhitespace
            }
            guard isName, !name.isEmpty, name.utf8.count <= 200 else { throw RecordError(.other("is no name")) }
            return name
        }
    }

    /// A hash of git, SHA-1 or SHA-256.
    fileprivate static var tree: Self {
        text(pattern: "^([0-9a-f]{40}|[0-9a-f]{64})$").checked { text throws(RecordError) in
            guard [40, 64].contains(text.utf8.count), text.utf8.allSatisfy({ Character(Unicode.Scalar($0)).isHexDigit })
            else { throw RecordError(.other("is no hash of git")) }
            return text.lowercased()
        }
    }
}

extension ReportHead {
    /// Checks that a document has this version's format.
    ///
    /// - Throws: `RecordError` when it has another, or none.
    package static func check(_ json: JSONValue) throws(RecordError) {
        guard json.object != nil else { throw RecordError(.type) }
        guard let text = json["formatVersion"] else { throw RecordError(.missing).under("formatVersion") }
        guard let major = text.string?.split(separator: ".").first.flatMap({ Int($0) }) else {
            throw RecordError(.type).under("formatVersion")
        }
        guard major == BugleVersion.majorFormat else {
            throw RecordError(.unknown("\(major)")).under("formatVersion")
        }
    }
}

/// The planner's knowledge of approvals, besides the files and what the remote remembers.
package struct ApprovalInput: Hashable, Sendable {
    /// The rules by which the change is judged.
    package var base: Base
    /// The approvals of the change; nil: none were given.
    package var file: ApprovalFile?
    /// The state of the files that are applied.
    package var state: State
    /// The commit that is applied; nil: nobody knows.
    package var commit: String?

    /// Creates the input; without arguments the files are judged by their own rules, and nothing is approved.
    package init(
        base: Base = .own, file: ApprovalFile? = nil, state: State = .unknown("they are in no git checkout"),
        commit: String? = nil
    ) {
        self.base = base
        self.file = file
        self.state = state
        self.commit = commit
    }

    /// The rules by which a change is judged.
    package enum Base: Hashable, Sendable {
        /// Those of the files at the first parent of the commit.
        case rules([ApprovalRule])
        /// Those of the files themselves: the commit has no parent, or its parent no such workspace.
        case own
        /// They cannot be read; the value says why.
        case unreadable(String)
    }

    /// The state of the files that are applied.
    package enum State: Hashable, Sendable {
        /// That of a commit; the value is git's hash of the workspace's folder in it.
        case tree(String)
        /// Nobody can tell; the value says why.
        case unknown(String)
    }
}
