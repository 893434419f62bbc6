/// A broadcast channel of an app (docs/background/apple/broadcasts.md#channels).
package struct BroadcastChannel: Hashable, Sendable {
    /// `apns-channel-id`: random bytes in base64.
    package let id: String
    /// The bundle id of the app.
    package let bundle: String
    /// `message-storage-policy`: 0 stores no message, 1 the most recent one.
    package let storagePolicy: Int64
    /// The messages broadcast to the channel, oldest first.
    package internal(set) var received: [ReceivedPush] = []
    /// The message that a later subscriber gets.
    package var stored: ReceivedPush? { storagePolicy == 1 ? received.last : nil }
    var subscribers: Set<DeviceToken> = []
}
