internal import JSONValue

extension Message {
    /// A number of bytes that no encoding of this message exceeds.
    ///
    /// Most messages are far below every limit; this tells so at a fraction of the cost of encoding them.
    ///
    /// - Parameter copies: how often an encoding may hold each text: at the top, and in each platform's object.
    package func encodedBytesBound(copies: Int) -> Int {
        let contents = [common, ios, android].compactMap { $0 }
        return copies * contents.reduce(0) { $0 + $1.bound }
            + vendors.reduce(0) { $0 + $1.value.canonicalByteCount + 20 }
    }
}

extension MessageContent {
    fileprivate var bound: Int {
        // Names of fields, numbers and punctuation of a content that sets everything.
        var bytes = 400
        for text in [title, subtitle, body] {
            switch text {
            case .text(let text): bytes += text.jsonByteCount
            case .localized(let key, let arguments):
                bytes += arguments.reduce(key.jsonByteCount) { $0 + $1.jsonByteCount + 1 }
            case nil: break
            }
        }
        switch sound {
        case .name(let name), .detailed(let name, _, _): bytes += name.jsonByteCount
        case nil: break
        }
        for text in [
            category, threadId, targetContentId, launchImage, filterCriteria, collapseId, deliveryKey, action, channel,
        ] {
            bytes += text?.jsonByteCount ?? 0
        }
        return bytes + (data ?? [:]).reduce(0) { $0 + $1.key.jsonByteCount + $1.value.canonicalByteCount + 2 }
    }
}
