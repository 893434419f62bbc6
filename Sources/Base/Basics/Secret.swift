/// A password, key or token that must never be printed.
///
/// Any representation (interpolation, `print`, `dump`, a debugger's summary) is `<redacted>`; only the two members with
/// the long names give the value. It cannot be encoded. Two secrets are equal when their bytes are.
package struct Secret: Sendable, Hashable {
    /// The value itself, as bytes; call it only where the value is handed over to its consumer.
    package let revealedBytes: [UInt8]

    /// Keeps a text as its UTF-8 bytes.
    package init(_ text: String) { revealedBytes = Array(text.utf8) }

    /// Keeps bytes as they are.
    package init(bytes: [UInt8]) { revealedBytes = bytes }

    /// The value itself, decoded as UTF-8 (invalid bytes become U+FFFD); call it only where it is needed.
    package var revealedText: String { String(decoding: revealedBytes, as: UTF8.self) }

    /// True for a secret without any bytes.
    package var isEmpty: Bool { revealedBytes.isEmpty }
}

extension Secret: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Always `<redacted>`.
    package var description: String { "<redacted>" }

    /// Always `<redacted>`.
    package var debugDescription: String { "<redacted>" }

    /// A mirror without children, so that `dump` and reflection find nothing.
    package var customMirror: Mirror { Mirror(self, children: EmptyCollection<Mirror.Child>()) }
}
