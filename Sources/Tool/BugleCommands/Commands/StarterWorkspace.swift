/// The workspace that `bugle init` writes.
enum StarterWorkspace {
    /// The files, by their path in the workspace.
    static var files: [(path: String, text: String)] {
        let sources = [("bugle.yaml", workspace), ("channels.yaml", channels), ("campaigns/welcome.yaml", campaign)]
        return sources.map { ($0, modeline(in: $0) + $1) } + [(schema, PublishedSchema.configuration.text)]
    }

    /// The schema file that editors use for completion and checks.
    static let schema = "bugle.schema.json"

    /// The comment that points editors to a file's schema.
    private static func modeline(in path: String) -> String {
        let way = path.split(separator: "/").dropLast().map { _ in "../" }.joined()
        return "# yaml-language-server: $schema=\(way)\(schema)\n"
    }

    private static let workspace = """
        # The line above lets an editor complete and explain every field; 'bugle schema > bugle.schema.json' renews the file.

        # The workspace: where it is deployed to, and the limits that every plan is checked against.
        kind: Workspace
        name: my-app                 # part of every delivery's identity: do not change it later
        defaultRemote: local
        remotes:
          local:                     # bugle-server on this machine
            type: leancloud
            url: http://127.0.0.1:8710
            appId: my-app
            masterKey: {env: BUGLE_SERVER_KEY}   # secrets are named here, never written
        policy:
          maxAudience: 100000        # devices that a campaign may reach
          maxSendsPerApply: 5
          requireExpiration: true
          # quietHours: {from: 22:00, to: 08:00, timeZone: Asia/Shanghai}

        """

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
        audience:
          channels: [news]
          platforms: [ios]
        message:
          title: Welcome
          body: This push was reviewed before it was sent.
        expiration: {after: 7d}      # how long it is worth delivering
        # schedule: {at: 2030-01-01T09:00:00+08:00, window: 1h}
        # revision: 2                # raise it to deliver the campaign once more

        """
}
