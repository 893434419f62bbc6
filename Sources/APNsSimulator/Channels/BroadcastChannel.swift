/// A broadcast channel of an app (<doc:/APNs/AppleBroadcasts#Channels>).
package struct BroadcastChannel: Hashable, Sendable {
    /// `apns-channel-id`: random bytes in base64.
    package let id: String
    /// The app.
    package let bundle: String
    /// `message-storage-policy`: 0 for no message, 1 for the most recent one.
    package let storagePolicy: Int64
    /// What was broadcast to it, oldest first.
    package internal(set) var received: [ReceivedPush] = []
    /// The message that a device gets when it subscribes later.
    package var stored: ReceivedPush? { storagePolicy == 1 ? received.last : nil }
    var subscribers: Set<DeviceToken> = []
}
