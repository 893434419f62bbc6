internal import Delivery
internal import LeanCloud
internal import Push

/// The types of remotes: their capabilities and encoders.
extension RemoteType {
    /// The capabilities of remotes of this type.
    var capabilities: Capabilities {
        switch self {
        case .leancloud: LeanCloudRemote.capabilities
        case .apns: APNsRemote.capabilities
        }
    }

    /// The encoder of requests to remotes of this type.
    var encoder: any RequestEncoding {
        switch self {
        case .leancloud: LeanCloudEncoder()
        case .apns: APNsEncoder()
        }
    }
}
