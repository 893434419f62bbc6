internal import Base
internal import Push

/// The differences between two states of a resource, field by field.
struct FieldChanges {
    private let language: Language

    init(_ language: Language) { self.language = language }

    /// All fields of a new resource; none without an object.
    func fields(of value: JSONValue?) -> [ReportDocument.Detail] {
        pairs(nil, value, path: "").map { .field(label: $0.label, value: shown($0.to, $0.label), aside: nil) }
    }

    /// The fields whose values differ, sorted; nested fields are named with dots.
    func changes(from before: JSONValue?, to after: JSONValue?) -> [ReportDocument.Detail] {
        guard before?.object != nil, after?.object != nil else { return [] }
        return pairs(before, after, path: "").map(detail)
    }

    /// The fields of both states whose values differ; a time in another offset is equal.
    func sharedChanges(from before: JSONValue?, to after: JSONValue?) -> [ReportDocument.Detail] {
        pairs(before, after, path: "").filter { pair in
            guard let from = pair.from, let to = pair.to else { return false }
            guard let time = instant(from)?.instant else { return true }
            return instant(to)?.instant != time
        }.map(detail)
    }

    private struct Pair {
        var label: String
        var from: JSONValue?
        var to: JSONValue?
    }

    /// The two values, as short as they can be while they differ.
    private func detail(_ pair: Pair) -> ReportDocument.Detail {
        let (from, to) = (shown(pair.from, pair.label), shown(pair.to, pair.label))
        return from == to
            ? .changed(label: pair.label, from: whole(pair.from), to: whole(pair.to))
            : .changed(label: pair.label, from: from, to: to)
    }

    private func pairs(_ before: JSONValue?, _ after: JSONValue?, path: String) -> [Pair] {
        let (from, to) = (before?.object ?? [:], after?.object ?? [:])
        return Set(from.keys).union(to.keys).sorted().flatMap { key -> [Pair] in
            let label = path.isEmpty ? key : path + "." + key
            let (old, new) = (from[key], to[key])
            if old == new { return [] }
            if old?.object != nil, new?.object != nil { return pairs(old, new, path: label) }
            return [Pair(label: label, from: old, to: new)]
        }
    }

    /// A readable value: hashes are shortened, the end of a certificate is a day, lists of texts have commas.
    private func shown(_ value: JSONValue?, _ label: String) -> String {
        if let text = value?.string {
            if let digest = Digest(text) { return digest.shortText }
            guard let time = instant(value) else { return text }
            return label == "expires" ? language.day(time.instant) : language.time(time)
        }
        if let elements = value?.array {
            let texts = elements.compactMap(\.string)
            if texts.count == elements.count { return language.list(texts) }
        }
        return whole(value)
    }

    private func whole(_ value: JSONValue?) -> String {
        guard let value, !value.isNull else { return language.say(.nothing) }
        return value.string ?? value.canonicalText
    }

    /// The time in a text; the shortest form is as long as `2026-12-01T00:00:00Z`.
    private func instant(_ value: JSONValue?) -> OffsetInstant? {
        guard let text = value?.string, text.utf8.count >= 20 else { return nil }
        return OffsetInstant(text)
    }
}
