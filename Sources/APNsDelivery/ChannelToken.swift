internal import Diagnostics

/// The id of a broadcast channel as the journal holds it, which holds hexadecimal tokens only.
enum ChannelToken {
    /// The hexadecimal digits of the id's UTF-8.
    static func token(of channelID: String) -> String { channelID.utf8.hexadecimal }

    /// The id again; nil when it was none.
    static func channelID(of token: String) -> String? {
        [UInt8](hexadecimal: token).flatMap { String(validating: $0, as: UTF8.self) }
    }
}
