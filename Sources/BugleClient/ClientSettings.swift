public import Foundation

/// Where an app registers its device, and as what.
public struct ClientSettings: Sendable {
    /// The server's address, without `/1.1`: `https://push.example.com`.
    public var server: URL
    /// The app's id, `X-LC-Id`.
    public var appID: String
    /// The app's key, `X-LC-Key`; never the master key, which an app must not contain.
    public var appKey: String
    /// The kind of device, `ios` by default.
    public var deviceType = "ios"
    /// The app's bundle id, to which pushes by token are addressed; nil: only the profile says it.
    public var topic: String?
    /// The profile of the environment that the build is signed for: name the one of `development` in a debug build.
    ///
    /// Nil, the default, stands for the default profile.
    public var deviceProfile: String?
    /// The field for the language, as `policy.languageField` of the workspace names it; nil: none is reported.
    public var languageField: String?

    /// Creates settings for an app.
    public init(server: URL, appID: String, appKey: String) {
        self.server = server
        self.appID = appID
        self.appKey = appKey
    }
}
