/// A password, key or token that must never be printed.
///
/// Any representation (interpolation, `print`, `dump`, a debugger's summary) is `<redacted>`; only the two members with
/// the long names give the value. It cannot be encoded. Two secrets are equal when their bytes are.
public struct Secret: Sendable, Hashable {
    /// The value itself, as bytes; call it only where the value is handed over to its consumer.
    public let revealedBytes: [UInt8]

    /// Keeps a text as its UTF-8 bytes.
    public init(_ text: String) { revealedBytes = Array(text.utf8) }

    /// Keeps bytes as they are.
    public init(bytes: [UInt8]) { revealedBytes = bytes }

    /// The value itself, decoded as UTF-8 (invalid bytes become U+FFFD); call it only where it is needed.
    public var revealedText: String { String(decoding: revealedBytes, as: UTF8.self) }

    /// True for a secret without any bytes.
    public var isEmpty: Bool { revealedBytes.isEmpty }
}

extension Secret: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Always `<redacted>`.
    public var description: String { "<redacted>" }

    /// Always `<redacted>`.
    public var debugDescription: String { "<redacted>" }

    /// A mirror without children, so that `dump` and reflection find nothing.
    public var customMirror: Mirror { Mirror(self, children: EmptyCollection<Mirror.Child>()) }
}
