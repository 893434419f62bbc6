/// Checks `apnsTopic` in the text of an installation's document.
enum DocumentTopic {
    private static let key = DocumentKey("apnsTopic")

    /// True if the document's top-level `apnsTopic` is missing, empty, or equal to `topic`.
    ///
    /// The document is an object's JSON, as the registry writes it: without spaces between its parts.
    static func isEmpty(in document: UnsafeBufferPointer<UInt8>, or topic: [UInt8]) -> Bool {
        guard let start = key.value(in: document) else { return true }
        guard start < document.count, document[start] == UInt8(ascii: "\"") else {
            // Not a string: `null` counts as missing.
            return start < document.count && document[start] == UInt8(ascii: "n")
        }
        let text = document[(start + 1)...]
        if text.first == UInt8(ascii: "\"") { return true }
        return text.starts(with: topic) && text.dropFirst(topic.count).first == UInt8(ascii: "\"")
    }
}
