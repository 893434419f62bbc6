internal import Base
internal import Push

/// The workflows that plan and apply a workspace in CI, with its names; they call what is in `examples/ci`.
struct Workflows {
    /// The workspace's folder in the repository.
    let folder: String
    private let remote: String
    private let secrets: [String]

    /// The workflows that deploy the workspace in `folder` to a remote.
    init(folder: String, remote: RemoteDeclaration, of workspace: Workspace) {
        self.folder = folder
        self.remote = remote.name
        secrets = Set(remote.variables + workspace.deviceProfiles.flatMap(\.credential.variables)).sorted()
    }

    /// The folder as the beginning of a pattern of paths.
    private var paths: String { folder == "." ? "**" : "\(folder)/**" }

    /// The variables of the steps that reach the remote.
    private var environment: String {
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
                    env: \(environment)

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
                    env: \(environment)

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
        return [(".gitlab-ci.yml", text)]
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
    /// The variables that hold the credential.
    fileprivate var variables: [String] {
        let sources: [SecretSource?] =
            switch self {
            case .certificate(let source, let key, let passphrase): [source, key, passphrase]
            case .token(_, _, let key): [key]
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
