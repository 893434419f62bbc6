internal import JSONValue
internal import PushModel

/// What differs between two states of a resource, field by field.
enum FieldChanges {
    /// Every field of a resource that is new; none when there is no object.
    static func fields(of value: JSONValue?) -> [ReportDocument.Detail] {
        pairs(nil, value, path: "").map { .field(label: $0.label, value: shown($0.to), aside: nil) }
    }

    /// The fields whose values differ, sorted; a field of an object inside is named with dots.
    static func changes(from before: JSONValue?, to after: JSONValue?) -> [ReportDocument.Detail] {
        guard before?.object != nil, after?.object != nil else { return [] }
        return pairs(before, after, path: "").map { pair in
            let (from, to) = shown(from: pair.from, to: pair.to)
            return .changed(label: pair.label, from: from, to: to)
        }
    }

    private struct Pair {
        var label: String
        var from: JSONValue?
        var to: JSONValue?
    }

    private static func pairs(_ before: JSONValue?, _ after: JSONValue?, path: String) -> [Pair] {
        let (from, to) = (before?.object ?? [:], after?.object ?? [:])
        return Set(from.keys).union(to.keys).sorted().flatMap { key -> [Pair] in
            let label = path.isEmpty ? key : path + "." + key
            let (old, new) = (from[key], to[key])
            if old == new { return [] }
            if old?.object != nil, new?.object != nil { return pairs(old, new, path: label) }
            return [Pair(label: label, from: old, to: new)]
        }
    }

    /// Two values, as short as they can be and still differ.
    private static func shown(from: JSONValue?, to: JSONValue?) -> (String, String) {
        let short = (shown(from), shown(to))
        guard short.0 == short.1 else { return short }
        return (from?.string ?? from?.canonicalText ?? "(none)", to?.string ?? to?.canonicalText ?? "(none)")
    }

    /// A value for people: hashes shortened, instants as days, lists of texts with commas.
    private static func shown(_ value: JSONValue?) -> String {
        switch value {
        case nil, .null?: return "(none)"
        case .string(let text)?:
            if let digest = Digest(text) { return digest.shortText }
            // An instant is at least as long as 2026-12-01T00:00:00Z.
            if text.utf8.count >= 20, let instant = Instant(text) { return instant.day }
            return text
        case .array(let elements)?:
            let texts = elements.compactMap(\.string)
            return texts.count == elements.count
                ? texts.joined(separator: ", ") : JSONValue.array(elements).canonicalText
        case .bool?, .integer?, .number?, .object?: return value?.canonicalText ?? ""
        }
    }
}
