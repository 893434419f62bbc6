internal import Base

extension FieldForm<LocalizableText> {
    /// A text, or the key of one that the app has localized.
    static let localizable = FieldForm(
        type: .either([.text, .map(LocalizedKey.fields.description)]),
        read: { value in
            if case .text(let text) = value { return .text(text) }
            return value.fields.flatMap(LocalizedKey.fields.record).map {
                .localized(key: $0.key, arguments: $0.arguments)
            }
        },
        write: { text in
            switch text {
            case .text(let text): .text(text)
            case .localized(let key, let arguments):
                .fields(LocalizedKey.fields.values(of: LocalizedKey(key: key, arguments: arguments)))
            }
        },
        hash: { text, name, writer in
            switch text {
            case .text(let text): writer.write(name, text)
            case .localized(let key, let arguments):
                writer.group(name) { LocalizedKey.fields.hash(LocalizedKey(key: key, arguments: arguments), to: &$0) }
            }
        })
}

/// A text that the app has localized, as written in a file.
package struct LocalizedKey: Sendable {
    var key: String
    var arguments: [String]

    package static let fields = FieldTable(
        "text", "A text that the app has localized", "由应用本地化的文本", blank: LocalizedKey(key: "", arguments: []),
        [
            FieldRow(
                required: "key", .text, "The key in the app's Localizable.strings", "应用的 Localizable.strings 中的键",
                { $0.key }, { $0.key = $1 }),
            FieldRow(
                "args", .list(.list(of: .text(FieldType.anyCount), ListRule(allowsRepeats: true))),
                "The values of the text's placeholders", "填入文本占位符的值", unless: [], { $0.arguments },
                { $0.arguments = $1 }),
        ])
}

extension FieldForm<Badge> {
    /// A number, or `increment`.
    static let badge = FieldForm(
        type: .either([.integer(FieldType.anyCount), .constant("increment")]),
        read: { value in
            if case .integer(let number) = value { .number(number) } else { .increment }
        },
        write: { badge in
            switch badge {
            case .number(let number): .integer(number)
            case .increment: .text("increment")
            }
        },
        hash: { badge, name, writer in
            switch badge {
            case .number(let number): writer.write(name, number)
            case .increment: writer.write(name, "increment")
            }
        })
}

extension FieldForm<Sound> {
    /// The name of a sound, or a mapping with its details.
    static let sound = FieldForm(
        type: .either([.text, .map(DetailedSound.fields.description)]),
        read: { value in
            if case .text(let name) = value { return .name(name) }
            return value.fields.flatMap(DetailedSound.fields.record).map {
                .detailed(name: $0.name, critical: $0.critical, volume: $0.volume)
            }
        },
        write: { sound in
            switch sound {
            case .name(let name): .text(name)
            case .detailed(let name, let critical, let volume):
                .fields(
                    DetailedSound.fields.values(of: DetailedSound(name: name, critical: critical, volume: volume)))
            }
        },
        hash: { sound, name, writer in
            switch sound {
            case .name(let sound): writer.write(name, sound)
            case .detailed(let sound, let critical, let volume):
                // As they were hashed before sounds had a table.
                writer.write("soundName", sound)
                writer.write("critical", critical)
                writer.write("volume", volume)
            }
        })
}

private struct DetailedSound: Sendable {
    var name: String
    var critical: Bool
    var volume: Double?

    static let fields = FieldTable(
        "sound", "The sound of a critical alert", "重要警告的提示音", blank: DetailedSound(name: "", critical: false),
        [
            FieldRow(
                required: "name", .text, "A sound of the app, or default", "应用自带的提示音，或 default", { $0.name },
                { $0.name = $1 }),
            FieldRow(
                "critical", .flag, default: "false", "Plays although the device is muted", "静音时是否也响",
                unless: false, { $0.critical }, { $0.critical = $1 }),
            FieldRow("volume", .unit, "The volume", "音量", { $0.volume }, { $0.volume = $1 }),
        ])
}

extension FieldForm<LiveActivity> {
    /// The change to a Live Activity, hashed as Apple gets it.
    static let liveActivity = FieldForm(
        type: map(LiveActivity.fields).type, read: map(LiveActivity.fields).read, write: map(LiveActivity.fields).write,
        hash: { $2.write($1, .object($0.apsFields)) })
}
