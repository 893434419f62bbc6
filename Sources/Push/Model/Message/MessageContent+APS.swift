package import Base

extension MessageContent {
    /// The `alert` value: a string when there is only a body, else an object; nil when there is none.
    ///
    /// Source: "Generating a remote notification", keys of the alert dictionary.
    package var apsAlert: JSONValue? {
        var alert: JSONObject = [:]
        title?.write(text: "title", key: "title-loc-key", arguments: "title-loc-args", to: &alert)
        subtitle?.write(text: "subtitle", key: "subtitle-loc-key", arguments: "subtitle-loc-args", to: &alert)
        body?.write(text: "body", key: "loc-key", arguments: "loc-args", to: &alert)
        if let launchImage { alert["launch-image"] = .string(launchImage) }
        if alert.isEmpty { return nil }
        if alert.count == 1, let body = alert["body"] { return body }
        return .object(alert)
    }

    /// The members of `aps` besides `alert` and `badge`, in Apple's spelling.
    ///
    /// Source: "Generating a remote notification", keys of the aps dictionary.
    package var apsFields: JSONObject {
        var fields: JSONObject = [:]
        switch sound {
        case .name(let name): fields["sound"] = .string(name)
        case .detailed(let name, let critical, let volume):
            var sound: JSONObject = ["name": .string(name)]
            if critical { sound["critical"] = 1 }
            sound["volume"] = volume.map { .number($0) }
            fields["sound"] = .object(sound)
        case nil: break
        }
        fields["category"] = category.map { .string($0) }
        fields["thread-id"] = threadId.map { .string($0) }
        fields["target-content-id"] = targetContentId.map { .string($0) }
        fields["interruption-level"] = interruptionLevel.map { .string($0.apnsValue) }
        fields["relevance-score"] = relevanceScore.map { .number($0) }
        fields["filter-criteria"] = filterCriteria.map { .string($0) }
        if mutableContent == true { fields["mutable-content"] = 1 }
        if contentAvailable == true { fields["content-available"] = 1 }
        return fields
    }
}

extension LocalizableText {
    fileprivate func write(
        text: String, key: String, arguments: String, to alert: inout JSONObject
    ) {
        switch self {
        case .text(let value): alert[text] = .string(value)
        case .localized(let name, let values):
            alert[key] = .string(name)
            if !values.isEmpty { alert[arguments] = .array(values.map { .string($0) }) }
        }
    }
}
