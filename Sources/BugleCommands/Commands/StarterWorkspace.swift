/// The workspace that `bugle init` writes.
enum StarterWorkspace {
    /// The variable that holds the key of the server.
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
