internal import JSONValue

extension Message {
    /// A number of bytes that no encoding of this message exceeds.
    ///
    /// Most messages are far below every limit; this tells so at a fraction of the cost of encoding them.
    ///
    /// - Parameter copies: how often an encoding may hold each text: at the top, and in each platform's object.
    package func encodedBytesBound(copies: Int) -> Int {
        copies * (common.bound + (ios?.bound ?? 0) + (android?.bound ?? 0))
            + vendors.reduce(0) { $0 + $1.value.canonicalByteCount + 20 }
    }
}

extension MessageContent {
    fileprivate var bound: Int {
        // Names of fields, numbers and punctuation of a content that sets everything.
        var bytes = 400
        // One by one: an array of them would be made for each of ten thousand campaigns.
        add(title, to: &bytes)
        add(subtitle, to: &bytes)
        add(body, to: &bytes)
        switch sound {
        case .name(let name), .detailed(let name, _, _): add(name, to: &bytes)
        case nil: break
        }
        add(category, to: &bytes)
        add(threadId, to: &bytes)
        add(targetContentId, to: &bytes)
        add(launchImage, to: &bytes)
        add(filterCriteria, to: &bytes)
        add(collapseId, to: &bytes)
        add(deliveryKey, to: &bytes)
        add(action, to: &bytes)
        add(channel, to: &bytes)
        if let liveActivity { bytes += JSONValue.object(liveActivity.apsFields).canonicalByteCount }
        for (key, value) in data ?? [:] { bytes += key.jsonByteCount + value.canonicalByteCount + 2 }
        return bytes
    }

    private func add(_ text: String?, to bytes: inout Int) {
        if let text { bytes += text.jsonByteCount }
    }

    private func add(_ text: LocalizableText?, to bytes: inout Int) {
        switch text {
        case .text(let text): bytes += text.jsonByteCount
        case .localized(let key, let arguments):
            bytes += arguments.reduce(key.jsonByteCount) { $0 + $1.jsonByteCount + 1 }
        case nil: break
        }
    }
}
