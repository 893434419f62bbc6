internal import Base
internal import YAML

/// Checks the languages of a message, and the places for a device's values in its texts.
struct WordsCheck {
    let message: Message
    let document: MapReader

    private var context: ReadingContext { document.context }

    func check() {
        guard let map = document.inner("message") else { return }
        check(message.common, map)
        if let content = message.ios, let map = map.inner("ios") { check(content, map) }
        if let content = message.android, let map = map.inner("android") { check(content, map) }
        guard let languages = map["languages"], languages.kind == .mapping else { return }
        let own = message.content(for: .ios).effectivePushType
        for (language, form) in zip(message.languages, message.forms(for: .ios).dropFirst()) {
            guard let entry = languages.entry(named: language.name), entry.value.kind == .mapping else { continue }
            let map = MapReader(
                checked: entry.value, holder: entry.key, MessageContent.languageFields, in: context)
            check(language.content, map)
            if form.effectivePushType != own {
                context.report(
                    .pushType,
                    "with \(quoted(language.name)) it is a push of type \(form.effectivePushType.rawValue), without it of type "
                        + "\(own.rawValue)", at: entry.key, help: "give the message itself a text, too")
            }
        }
        if let (first, second) = message.twins, let entry = languages.entry(named: second) {
            context.report(
                .duplicateName, "\(quoted(second)) is the same language as \(quoted(first))", at: entry.key,
                help: "keep one of the two")
        }
    }

    /// Checks the places for a device's values in texts.
    func check(_ content: MessageContent, _ map: MapReader) {
        let personal = content.personalTexts
        for (field, text) in personal {
            guard let mistake = text.personalMistake else {
                if let name = text.string.flatMap(Self.placeholder) { warn(of: name, in: field, map) }
                continue
            }
            let fault = mistake.inside.map { "'{{\($0)}}' is no personal text" } ?? "'{{' is never closed"
            let name = mistake.inside?.prefix { $0 != "|" } ?? ""
            map.report(
                .invalidValue, "'\(field.rawValue)': \(fault)", atKeyOf: field.rawValue,
                help: PersonalValue.isField(name)
                    ? "write the words for a device without a value behind it: {{\(name)|there}}"
                    : "name a field of the installation, and the words for a device without it: {{firstName|there}}")
        }
        let fields = Set(personal.map(\.field))
        for field in ContentField.allCases where !fields.contains(field) {
            guard content.value(of: field)?.holdsBraces == true else { continue }
            map.report(
                .notSupported, "'\(field.rawValue)' has the same text for every device", atKeyOf: field.rawValue,
                help: "a device's values may stand in 'title', 'subtitle', 'body' and the texts of 'data' only")
        }
    }
}

extension WordsCheck {
    /// The name in the first `{name}` or `${name}` of a text, which other tools fill in.
    private static func placeholder(in text: String) -> Substring? {
        var rest = text[...]
        while let open = rest.firstIndex(of: "{") {
            let inside = rest[rest.index(after: open)...]
            guard let close = inside.firstIndex(of: "}") else { return nil }
            let isDouble = inside.first == "{" || inside[close...].dropFirst().first == "}"
            if !isDouble, PersonalValue.isField(inside[..<close]) { return inside[..<close] }
            rest = isDouble ? inside[close...].drop { $0 == "}" } : inside
        }
        return nil
    }

    private func warn(of name: Substring, in field: ContentField, _ map: MapReader) {
        context.diagnostics.append(
            Diagnostic(
                .warning, .invalidValue, "'\(field.rawValue)': '{\(name)}' is sent as it stands",
                at: map.key(field.rawValue).range,
                help: "for a value of the device write {{\(name)|there}}, with the words for a device without it"))
    }
}

extension JSONValue {
    /// The first fault in its texts; nil when there is none.
    fileprivate var personalMistake: PersonalText.Mistake? {
        switch self {
        case .string(let text):
            guard PersonalText.mayBe(text) else { return nil }
            do throws(PersonalText.Mistake) { _ = try PersonalText(text) } catch { return error }
            return nil
        case .array(let elements): return elements.lazy.compactMap(\.personalMistake).first
        case .object(let members):
            return members.sorted { $0.key < $1.key }.lazy.compactMap(\.value.personalMistake).first
        case .null, .bool, .integer, .number: return nil
        }
    }
}

extension FieldValue {
    /// True for a text, or a list or mapping of texts, with `{{` in it; what the app draws itself is not looked into.
    fileprivate var holdsBraces: Bool {
        switch self {
        case .text(let text): PersonalText.mayBe(text)
        case .list(let texts): texts.contains(where: PersonalText.mayBe)
        case .entries(let entries): entries.contains { $0.value.holdsBraces }
        case .fields(let values): values.contains { $0?.holdsBraces ?? false }
        case .maps(let maps): maps.contains { FieldValue.fields($0).holdsBraces }
        case .json, .flag, .integer, .number, .duration, .instant: false
        }
    }
}
