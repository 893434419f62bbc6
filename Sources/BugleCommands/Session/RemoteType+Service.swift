internal import APNsRemote
internal import LeanCloudRemote
internal import PushModel

/// The registry of remotes: what each type can do, and who makes its requests.
extension RemoteType {
    /// What remotes of this type can do.
    var capabilities: Capabilities {
        switch self {
        case .leancloud: LeanCloudRemote.capabilities
        case .apns: APNsRemote.capabilities
        }
    }

    /// Makes the requests of remotes of this type.
    var encoder: any RequestEncoding {
        switch self {
        case .leancloud: LeanCloudEncoder()
        case .apns: APNsEncoder()
        }
    }
}
