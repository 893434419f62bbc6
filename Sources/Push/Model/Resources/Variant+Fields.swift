extension Variant {
    /// The fields of a variant in a file; its name is its key.
    package static let fields = FieldTable(
        "Campaign.variants.<name>", "A variant of the message, tested on a share of the audience",
        "消息的一个变体，在一部分受众上测试", blank: Variant(name: "", share: .whole),
        [
            FieldRow(
                required: "share", .share, "The share of the audience that tests it", "用于测试该变体的受众比例",
                { $0.share }, { $0.share = $1 }),
            FieldRow(
                "message", .words, "The words that differ from the message; without any it is the message itself",
                "与消息本身不同的文案；不写则为消息本身",
                { $0.content == MessageContent() && $0.languages.isEmpty ? nil : VariantWords(variant: $0) },
                { ($0.content, $0.languages) = ($1.content, $1.languages) }),
        ])

    /// The fields of a variant's words.
    package static let wordFields = MapDescription(
        "Campaign.variants.<name>.message", "The words of a variant that differ", "变体中不同的文案",
        elsewhere: MessageContent.sameForAll("every variant"),
        MessageContent.languageRows.map(\.spec) + [
            FieldSpec(
                "languages", .entries(of: .map(MessageContent.language.description), keys: .language),
                "The words that differ in languages of the message", "在消息的其他语言中不同的文案")
        ])
}

/// The words of a variant.
struct VariantWords: Sendable {
    var content: MessageContent
    var languages: [MessageLanguage]

    init(content: MessageContent, languages: [MessageLanguage]) {
        self.content = content
        self.languages = languages
    }

    init(variant: Variant) { self.init(content: variant.content, languages: variant.languages) }
}

extension FieldForm<VariantWords> {
    /// Words, and those of languages.
    fileprivate static let words = FieldForm(
        type: .map(Variant.wordFields),
        read: { value in
            guard case .fields(let values) = value else { return nil }
            let languages = values[MessageContent.language.rows.count].map(FieldForm<Message>.languages) ?? []
            return VariantWords(content: MessageContent.language.partialRecord(of: values), languages: languages)
        },
        write: { words in
            .fields(
                MessageContent.language.values(of: words.content) + [FieldForm<Message>.value(of: words.languages)])
        },
        hash: { words, name, writer in
            writer.group(name) { writer in
                MessageContent.language.hash(words.content, to: &writer)
                for language in words.languages {
                    writer.group("language \(language.name)") {
                        MessageContent.language.hash(language.content, to: &$0)
                    }
                }
            }
        })
}

extension FieldForm<[Variant]> {
    /// A mapping from names to variants.
    static let variants = FieldForm(
        type: .entries(of: .map(Variant.fields.description), keys: .label),
        read: { value in
            guard case .entries(let entries) = value else { return nil }
            return entries.compactMap { name, value in
                value.fields.map { fields in
                    var variant = Variant.fields.partialRecord(of: fields)
                    variant.name = name
                    return variant
                }
            }.sorted { $0.name < $1.name }
        },
        write: { .entries($0.map { ($0.name, .fields(Variant.fields.values(of: $0))) }) },
        hash: { variants, name, writer in
            for variant in variants {
                writer.group("\(name) \(variant.name)") { Variant.fields.hash(variant, to: &$0) }
            }
        })
}
