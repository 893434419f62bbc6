internal import ArgumentParser
internal import Base
internal import FoundationEssentials
internal import Push

/// Writes a small commented starter workspace, or the workflows of CI for one.
struct InitCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "init", abstract: "Writes a small workspace for 'bugle-server demo', or its workflows of CI.",
        discussion: """
            EXAMPLES
              bugle init push
              bugle init push --ci github

            In or beside a folder with an Xcode project, bugle.yaml proposes a DeviceProfile with its bundle id and \
            team, its languages and its string catalogs.
            """)

    /// A service that runs workflows.
    enum Forge: String, ExpressibleByArgument, CaseIterable {
        case github, gitlab
    }

    @Argument(help: ArgumentHelp("The folder; default: the current one.", valueName: "DIR"))
    var directory: String?

    @Option(help: ArgumentHelp("The address of the server.", valueName: "ADDRESS"))
    var url = "http://127.0.0.1:8710"

    @Option(
        help: ArgumentHelp(
            "Write the workflows that run the workspace in DIR, which exists: github or gitlab.", valueName: "FORGE"))
    var ci: Forge?

    @OptionGroup var common: CommonOptions

    func validate() throws {
        if let problem = WebAddress.problem(with: url) { throw ValidationError("--url \(problem)") }
    }

    func run() async throws {
        try await running(common) {
            if let ci { try await writeWorkflows(ci) } else { try writeWorkspace(in: directory ?? ".") }
            return .success
        }
    }

    private func writeWorkspace(in directory: String) throws {
        let console = Console.of(common)
        let project = XcodeProject.find(for: directory)
        try write(
            StarterWorkspace.files(url: url, project: project), to: directory, unlessThere: StarterWorkspace.settings)
        console.output("\(StarterWorkspace.schema) is for editors; renew it with: bugle schema > bugle.schema.json\n")
        let hasKey = ProcessInfo.processInfo.environment[StarterWorkspace.keyVariable]?.isEmpty == false
        console.output(
            hasKey
                ? "Next: bugle plan -C \(directory.shellWord)\n"
                : "Next, in another terminal: bugle-server demo   # prints the key, and what comes then\n")
    }

    private func writeWorkflows(_ forge: Forge) async throws {
        var options = common
        options.directory = directory ?? common.directory
        let bench = try await Workbench(options)
        let desired = try bench.desired()
        let workflows = Workflows(
            folder: bench.displayName, remote: try bench.remote(named: nil, in: desired), of: desired)
        switch forge {
        case .github: try write(workflows.github, to: ".")
        case .gitlab: try write(workflows.gitlab, to: ".")
        }
        bench.console.output("Next: copy bugle's examples/ci to .ci/bugle; its README.md says which secrets go where\n")
    }

    /// Writes files that do not exist yet; of those in `unlessThere` one that exists is left as it is.
    private func write(
        _ files: [(path: String, text: String)], to directory: String, unlessThere: Set<String> = []
    ) throws {
        func place(_ path: String) -> String { directory == "." ? path : "\(directory)/\(path)" }
        let manager = FileManager.default
        let taken = files.filter { manager.fileExists(atPath: place($0.path)) }.map(\.path)
        let inTheWay = taken.filter { !unlessThere.contains($0) }.map(place)
        guard inTheWay.isEmpty else {
            throw Failure(.failed, "\(inTheWay.joined(separator: ", ")) already exists; nothing was written")
        }
        for file in files where !taken.contains(file.path) {
            let path = place(file.path)
            let folder = path.split(separator: "/", omittingEmptySubsequences: false).dropLast().joined(separator: "/")
            do {
                if !folder.isEmpty {
                    try manager.createDirectory(atPath: folder, withIntermediateDirectories: true)
                }
            } catch {
                throw Failure(.failed, "the folder \(folder) cannot be created")
            }
            try OutputFile.write(Array(file.text.utf8), to: path)
            Console.of(common).output("wrote \(path)\n")
        }
    }
}

extension String {
    /// The text as one word of a POSIX shell.
    var shellWord: String {
        let plain = utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), 0x80...:
                true
            default: "-_./:@%+=,".utf8.contains(byte)
            }
        }
        return plain && !isEmpty ? self : "'" + replacingScalars(by: ["'": "'\\''"]) + "'"
    }
}

/// The workspace that `bugle init` writes.
enum StarterWorkspace {
    static let keyVariable = "BUGLE_SERVER_KEY"

    /// The files that a folder may have already: they are not the workspace's.
    static let settings: Set<String> = [".gitignore", ".vscode/settings.json"]

    /// The files, by their path in the workspace, whose server is at `url`; `project` is that of its app, if it was found.
    static func files(url: String, project: XcodeProject?) -> [(path: String, text: String)] {
        let sources = [
            ("bugle.yaml", workspace(url) + (project?.proposal ?? "")), ("channels.yaml", channels),
            ("campaigns/welcome.yaml", campaign),
        ]
        return sources.map { ($0, modeline(in: $0) + $1) } + [
            (schema, PublishedSchema.configuration.text), (".gitignore", ignored), (".vscode/settings.json", editor),
        ]
    }

    /// The schema file that editors use for completion and checks.
    static let schema = "bugle.schema.json"

    /// The comment that points editors to a file's schema.
    private static func modeline(in path: String) -> String {
        let way = path.split(separator: "/").dropLast().map { _ in "../" }.joined()
        return "# yaml-language-server: $schema=\(way)\(schema)\n"
    }

    private static func workspace(_ url: String) -> String {
        """
        # The line above lets an editor complete and explain every field; 'bugle schema > bugle.schema.json' renews the file.

        # The workspace: where it is deployed to, and the limits that every plan is checked against.
        kind: Workspace
        name: my-app                 # part of every delivery's identity: do not change it later
        defaultRemote: local
        remotes:
          local:                     # 'bugle-server demo', with 10,000 simulated devices
            type: leancloud
            url: \(url)
            appId: giants-demo
            masterKey: {env: \(keyVariable)}   # secrets are named here, never written
        policy:
          maxAudience: 100000        # devices that a campaign may reach
          maxSendsPerApply: 5
          requireExpiration: true
          # quietHours: {from: 22:00, to: 08:00, timeZone: Asia/Shanghai}

        """
    }

    private static let channels = """
        # Channels are names that devices subscribe to; a campaign may only name declared ones.
        kind: Channel
        name: news
        description: What is new in the app

        """

    private static let campaign = """
        # One campaign: whom it reaches, what it shows, and when.
        kind: Campaign
        name: welcome
        description: The first push of this workspace
        audience:                    # 3,437 of the demo's 10,000 devices
          channels: [news]
          platforms: [ios]
        message:
          title: Welcome
          body: This push was reviewed before it was sent.
        expiration: {after: 7d}      # how long it is worth delivering
        # schedule: {at: 2030-01-01T09:00:00+08:00, window: 1h}
        # revision: 2                # raise it to deliver the campaign once more

        """

    /// Saved plans, pages, and what must never be in a repository.
    private static let ignored = """
        plan.json
        plan.html
        *.p8
        *.p12
        .env

        """

    private static let editor = """
        {
          "yaml.schemas": {
            "./bugle.schema.json": ["bugle.yaml", "channels.yaml", "campaigns/*.yaml"]
          }
        }

        """
}

/// The workflows that plan and apply a workspace in CI, with its names; they call what is in `examples/ci`.
struct Workflows {
    /// The workspace's folder in the repository.
    let folder: String
    private let remote: String
    private let secrets: [String]
    /// The secrets of the rooms that are told, which only an apply does.
    private let rooms: [String]

    /// The workflows that deploy the workspace in `folder` to a remote.
    init(folder: String, remote: RemoteDeclaration, of workspace: Workspace) {
        self.folder = folder
        self.remote = remote.name
        secrets = Set(remote.variables + workspace.deviceProfiles.flatMap(\.credential.variables)).sorted()
        let told = workspace.notify.flatMap { [$0.address.variable, $0.secret?.variable].compactMap(\.self) }
        rooms = Set(told).subtracting(secrets).sorted()
    }

    /// The folder as the beginning of a pattern of paths.
    private var paths: String { folder == "." ? "**" : "\(folder)/**" }

    /// The variables of a step that reaches the remote.
    private func environment(_ secrets: [String]) -> String {
        let all = secrets.map { "\($0): \"${{ secrets.\($0) }}\"" }
        return "{" + (all + ["BUGLE_TRUSTED_HOSTS: \"${{ vars.BUGLE_TRUSTED_HOSTS }}\""]).joined(separator: ", ") + "}"
    }

    private static let checkout = """
              - uses: actions/checkout@11bd71901bbe5b1630ceea73d27597364c9af683 # v4.2.2
                with: {persist-credentials: false, fetch-depth: 2}
              - uses: ./.ci/bugle/github
        """

    /// GitHub's files by their paths: one for pull requests, one for what is merged.
    var github: [(path: String, text: String)] {
        let pullRequest = """
            name: bugle pull request
            on: {pull_request: {paths: [\(quoted(paths)), ".ci/bugle/**", ".github/workflows/bugle-*"]}}
            permissions: {contents: read, pull-requests: write}
            jobs:
              plan: # a fork gets no credentials: what it proposes is planned when it is merged, and reviewed then
                if: github.event.pull_request.head.repo.full_name == github.repository
                runs-on: ubuntu-latest
                environment: bugle-plan
                steps:
            \(Self.checkout)
                    with: {command: plan, workspace: \(quoted(folder)), remote: \(remote)}
                    env: \(environment(secrets))

            """
        let apply = """
            name: bugle apply
            on: {push: {branches: [main], paths: [\(quoted(paths))]}, workflow_dispatch: {inputs: {plan-run: {required: true}}}}
            permissions: {contents: read, actions: read, pull-requests: write}
            concurrency: bugle-apply-\(remote)
            jobs:
              apply:
                if: github.ref == 'refs/heads/main'
                runs-on: ubuntu-latest
                environment: \(remote)
                steps:
            \(Self.checkout)
                    with: {command: apply, workspace: \(quoted(folder)), remote: \(remote), plan-run: "${{ inputs.plan-run }}"}
                    env: \(environment(secrets + rooms))

            """
        return [
            (".github/workflows/bugle-pull-request.yml", pullRequest), (".github/workflows/bugle-apply.yml", apply),
        ]
    }

    /// GitLab's file.
    var gitlab: [(path: String, text: String)] {
        let text = """
            include:
              - local: .ci/bugle/gitlab/templates/bugle.yml
                inputs:
                  workspace: \(quoted(folder))
                  remote: \(remote)
                  image: registry.example.com/bugle # one of yours: .ci/bugle/README.md says what it needs
                  comment-author: project_1_bot_2 # the user name of the token BUGLE_COMMENT_TOKEN

            """
        let scope = "# \(rooms.joined(separator: ", ")): variables with the scope of the environment \(remote) only\n"
        return [(".gitlab-ci.yml", text + (rooms.isEmpty ? "" : scope))]
    }

    private func quoted(_ text: String) -> String { JSONValue.string(text).canonicalText }
}

extension RemoteDeclaration {
    /// The variables that hold what connects to it.
    fileprivate var variables: [String] {
        switch service {
        case .leancloud(let settings):
            [settings.url.variable, settings.appId.variable, settings.masterKey.variable].compactMap(\.self)
        case .apns(let settings):
            if case .postgres(let source) = settings.registry { [source.variable].compactMap(\.self) } else { [] }
        }
    }
}

extension DeviceProfile.Credential {
    fileprivate var variables: [String] {
        let sources: [SecretSource?] =
            switch self {
            case .certificate(let source, let key, let passphrase): [source, key, passphrase]
            case .token(_, _, let key): [key]
            case .serviceAccount(let source): [source]
            case .vendor(_, _, let secrets): secrets.map(\.value)
            }
        return sources.compactMap { $0?.variable }
    }
}

extension SecretSource {
    fileprivate var variable: String? {
        switch self {
        case .environment(let name), .file(.environment(let name)): name
        case .file(.path): nil
        }
    }
}

extension TextReference {
    fileprivate var variable: String? { if case .environment(let name) = self { name } else { nil } }
}

/// What an app's Xcode project says that its pushes need.
struct XcodeProject: Equatable {
    let name: String
    let bundleID: String
    /// The team that signs it; nil if none is set.
    let team: String?
    /// The languages of its texts.
    let languages: [String]
    /// The string catalogs beside it, relative to the project's folder.
    let catalogs: [String]

    /// The largest project file that is read, in bytes.
    private static let sizeLimit = 16 << 20

    /// Finds the project in the folder of a workspace, or in the current one or the one above the workspace's.
    static func find(for workspace: String) -> XcodeProject? {
        for folder in [workspace, ".", "\(workspace)/.."] {
            let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
            for name in names.sorted() where name.hasSuffix(".xcodeproj") {
                let path = "\(folder)/\(name)/project.pbxproj"
                guard let data = FileManager.default.contents(atPath: path), data.count <= sizeLimit else { continue }
                let catalogs = ((try? FileManager.default.subpathsOfDirectory(atPath: folder)) ?? [])
                    .filter { $0.hasSuffix(".xcstrings") }.sorted()
                let text = String(decoding: data, as: UTF8.self)
                if let project = XcodeProject(name: name, text: text, catalogs: catalogs) { return project }
            }
        }
        return nil
    }

    /// Reads the text of a `project.pbxproj`; nil if it names no bundle id.
    init?(name: String, text: String, catalogs: [String]) {
        // An extension's bundle id is the app's with an ending; one with a variable is nobody's to know here.
        let ids = Self.values(of: "PRODUCT_BUNDLE_IDENTIFIER", in: text).filter(NameRule.bundleIdentifier.accepts)
        guard let bundleID = ids.min(by: { ($0.utf8.count, $0) < ($1.utf8.count, $1) }) else { return nil }
        self.name = name
        self.bundleID = bundleID
        team = Self.values(of: "DEVELOPMENT_TEAM", in: text).first(where: NameRule.appleIdentifier.accepts)
        var regions: [String] = []
        if let list = text.firstRange(of: "knownRegions = (") {
            regions = text[list.upperBound...].prefix { $0 != ")" }.split(separator: ",").map(Self.word)
        }
        // 'Base' is none.
        languages = regions.filter(NameRule.language.accepts)
        self.catalogs = catalogs
    }

    private static func values(of key: String, in text: String) -> [String] {
        text.split(whereSeparator: \.isNewline).compactMap { line in
            let parts = line.split(separator: "=", maxSplits: 1)
            guard parts.count == 2, word(parts[0]) == key else { return nil }
            return word(parts[1].prefix { $0 != ";" })
        }
    }

    private static func word(_ text: Substring) -> String {
        String(text.filter { !$0.isWhitespace && $0 != "\"" })
    }

    /// Comments for the end of bugle.yaml: what to write for this app, once its key is at hand.
    var proposal: String {
        var lines = [
            "",
            "# From \(escaped(name)), for pushes straight to Apple: uncomment it when you have a key (.p8) of your team.",
        ]
        if !languages.isEmpty { lines.append("# The app's languages: \(languages.joined(separator: ", ")).") }
        if !catalogs.isEmpty {
            lines.append(
                "# Its texts, if they are in this folder: 'strings: [\(catalogs.map(escaped).joined(separator: ", "))]' above."
            )
        }
        lines += [
            "# ---", "# kind: DeviceProfile", "# name: app", "# environment: production", "# topic: \(bundleID)",
            "# default: true", "# token:", "#   teamId: \(team ?? "ABCDE12345         # your team's")",
            "#   keyId: F4K3K3Y1D0           # the key's", "#   key: {env: APNS_KEY}",
        ]
        return lines.joined(separator: "\n") + "\n"
    }
}
