internal import Base

/// The id of a broadcast channel in the form of a journal's token, which must be hexadecimal.
enum ChannelToken {
    /// The hexadecimal digits of the id's UTF-8.
    static func token(of channelID: String) -> String { channelID.utf8.hexadecimal }

    /// The channel id of a token; nil when it is not one.
    static func channelID(of token: String) -> String? {
        [UInt8](hexadecimal: token).flatMap { String(validating: $0, as: UTF8.self) }
    }
}
