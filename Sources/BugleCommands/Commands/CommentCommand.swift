internal import ArgumentParser
internal import Base
internal import FoundationEssentials
internal import Push
internal import PushReport

/// Prints the body and marker of a pull request's sticky comment.
struct CommentCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "comment", abstract: "Prints the body or the marker of the pull request's one sticky comment.",
        discussion: """
            EXAMPLE
              bugle comment plan.json

            Reads what 'bugle plan --out FILE' or '--format json=FILE' wrote and prints one comment in Markdown, of at \
            most 65,000 characters. After the merge, --result FILE puts in front of the plan what 'bugle apply \
            --json-result FILE' did. It posts nothing: examples/ci holds recipes that do. For them, --find says which \
            comment to replace, --find-run where the reviewed plan is, and --find-pull what was merged.
            """)

    @OptionGroup var content: CommentContent
    @OptionGroup var lookup: CommentLookup

    @Argument(
        help: ArgumentHelp(
            "Saved plans, or the JSON of an invalid configuration; none: there is no plan.", valueName: "FILE"))
    var files: [String] = []

    @Option(
        help: ArgumentHelp(
            "The comment's name, if a pull request has several: letters, digits and single '-'.", valueName: "NAME"))
    var id = CommentMarker.plan

    @Flag(help: "Print the marker only.")
    var marker = false

    @Flag(help: "Print {\"body\": …}, as the APIs of GitHub and GitLab accept it.")
    var json = false

    @OptionGroup var common: CommonOptions

    func validate() throws {
        if files.count > 20 { throw ValidationError("a comment holds at most 20 files") }
        let modes = [marker, json, lookup.find != nil, lookup.findRun != nil, lookup.findPull != nil].count { $0 }
        if modes > 1 {
            throw ValidationError("--marker, --json, --find, --find-run and --find-pull exclude each other")
        }
        if marker || lookup.isAsked, !files.isEmpty || content.result != nil {
            throw ValidationError("FILE and --result are for printing a comment")
        }
    }

    func run() async throws {
        try await running(common) {
            let console = Console.of(common)
            if marker {
                console.output(id.line + "\n")
            } else if lookup.isAsked {
                if let found = try lookup.found(id, content.commit) { console.output("\(found)\n") }
            } else {
                let text = try body().markdown()
                console.output(json ? JSONValue.object(["body": .string(text)]).canonicalText + "\n" : text)
            }
            return .success
        }
    }

    private func body() throws -> CommentBody {
        let environment = ProcessInfo.processInfo.environment
        let reviews = try files.map(readReview)
        let commit =
            content.commit?.text ?? ApplyProvenance.commit(environment).flatMap { CommitHash(argument: $0)?.text }
        let applied = try content.result.map {
            try AppliedResult(file: $0, commit: commit, pull: content.pull, environment)
        }
        let language = applied?.report?.language ?? reviews.lazy.compactMap(\.language).first
        return CommentBody(
            marker: id, language: common.language(in: language), reviews: reviews, ending: content.exitCode,
            commit: commit, artifact: content.artifact?.text, applied: applied)
    }
}

/// The content of a comment besides the plan.
struct CommentContent: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The commit that was planned or applied. Default: what CI's variables name.", valueName: "SHA"))
    var commit: CommitHash?

    @Option(help: ArgumentHelp("The address of the HTML page, to link to.", valueName: "URL"))
    var artifact: PageLink?

    @Option(
        help: ArgumentHelp(
            "What 'bugle apply --json-result FILE' wrote, shown first; when there is no such file, that is said.",
            valueName: "RESULT.json"))
    var result: String?

    @Option(help: ArgumentHelp("The address of the pull request, to link to beside a result.", valueName: "URL"))
    var pull: PageLink?

    @Option(
        name: .customLong("exit-code"),
        help: ArgumentHelp("The exit code of plan or apply, mentioned unless it is 0 or 2.", valueName: "CODE"))
    var exitCode: EndedWith?
}

/// The lookups in lists that an API returned.
struct CommentLookup: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Print the id of the comment in this list (GitHub's or GitLab's JSON) that has the marker and was "
                + "written by --author; nothing when there is none.",
            valueName: "COMMENTS.json"))
    var find: String?

    @Option(help: ArgumentHelp("The author of the comment: a marker alone proves nothing.", valueName: "LOGIN"))
    var author: String?

    @Option(
        name: .customLong("find-run"),
        help: ArgumentHelp(
            "Print the run that left the newest artifact --name in this list (GitHub's JSON), made by --repository "
                + "itself and no fork; nothing when there is none.",
            valueName: "ARTIFACTS.json"))
    var findRun: String?

    @Option(help: ArgumentHelp("The artifact's name.", valueName: "NAME"))
    var name: String?

    @Option(
        help: ArgumentHelp(
            "Only a run of a commit that one of these reviews (GitHub's JSON) approves (repeatable, a page each).",
            valueName: "REVIEWS.json"))
    var approvals: [String] = []

    @Option(
        name: .customLong("find-pull"),
        help: ArgumentHelp(
            "Print the number of the pull request in this list (GitHub's or GitLab's JSON) that was merged into "
                + "--repository, as --commit if that is given; nothing when there is none.",
            valueName: "PULLS.json"))
    var findPull: String?

    @Option(help: ArgumentHelp("The repository's number.", valueName: "ID"))
    var repository: Int64?

    /// True if any lookup was requested.
    var isAsked: Bool { find != nil || findRun != nil || findPull != nil }

    func validate() throws {
        if (find == nil) != (author == nil) { throw ValidationError("--find and --author need each other") }
        if (findRun == nil) != (name == nil) || (findRun ?? findPull == nil) != (repository == nil) {
            throw ValidationError(
                "--find-run, --name and --repository need each other, --find-pull and --repository too")
        }
        if !approvals.isEmpty, findRun == nil { throw ValidationError("--approvals is for --find-run") }
    }

    /// The id that was looked up; nil when there is none.
    func found(_ marker: CommentMarker, _ commit: CommitHash?) throws -> Int64? {
        if let find, let author { return try ForgeAnswer.comment(file: find, with: marker, by: author) }
        guard let repository else { return nil }
        if let findPull { return try ForgeAnswer.pull(file: findPull, into: repository, as: commit) }
        guard let findRun, let name else { return nil }
        let heads = try approvals.reduce(into: Set<String>()) { try $0.formUnion(ForgeAnswer.approved(file: $1)) }
        return try ForgeAnswer.run(
            file: findRun, of: name, repository: repository, heads: approvals.isEmpty ? nil : heads)
    }
}
