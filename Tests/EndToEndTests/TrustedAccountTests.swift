import APNsSimulator
import Base
import Testing

/// The address that a Google account's file names, to which bugle sends what it signs.
@Suite struct TrustedAccountTests {
    /// Runs a test in a workspace with an account that gets its access tokens from an address; `more` is the remote's.
    private static func run(
        _ address: String, more: String = "", _ test: (World) async throws -> Void
    ) async throws {
        var account = try FirebaseProject.make(id: "giants-app").account
        account["token_uri"] = .string(address)
        let text = account.canonicalText
        try await World.run(["a.yaml": .giants]) { world in
            try world.write("firebase.json", text)
            try world.write(
                "android.yaml",
                """
                kind: DeviceProfile
                name: android
                vendor: fcm
                environment: production
                default: true
                fcm: {serviceAccount: {file: firebase.json}}

                """)
            try world.write(
                "bugle.yaml",
                """
                kind: Workspace
                name: giants
                remotes:
                  google: {type: direct, registry: {sqlite: devices.sqlite}\(more)}

                """)
            try await test(world)
        }
    }

    @Test(arguments: [
        "https://tokens.example.net/token", "https://oauth2.googleapis.com.example.net/token",
        "https://oauth2.googleapis.com:8443/token", "https://oauth2.googleapis.com@example.net/token",
    ])
    func anAccountWhoseHostIsNeitherGooglesNorListedIsNotUsed(address: String) async throws {
        try await Self.run(address) { world in
            for command in [["validate"], ["plan"], ["doctor"]] {
                let run = try await world.bugle(command, environment: ["BUGLE_TRUSTED_HOSTS": "push.example.com"])
                #expect(run.status == 3, "\(command): \(run.everything)")
                #expect(run.everything.contains("BUGLE_TRUSTED_HOSTS"), "\(command): \(run.everything)")
            }
        }
    }

    @Test(arguments: [
        ("https://oauth2.googleapis.com/token", ""), ("https://accounts.google.com/o/oauth2/token", ""),
        ("https://tokens.example.com/token", ""),
        ("https://tokens.example.net/token", ", hosts: {fcmToken: \"https://tokens.example.com\"}"),
    ])
    func googlesHostsAndListedOnesAreTrusted(address: String, more: String) async throws {
        try await Self.run(address, more: more) { world in
            for command in [["validate"], ["plan"]] {
                let run = try await world.bugle(command, environment: ["BUGLE_TRUSTED_HOSTS": "tokens.example.com"])
                #expect(!run.everything.contains("BUGLE_TRUSTED_HOSTS"), "\(command): \(run.everything)")
            }
        }
    }
}
