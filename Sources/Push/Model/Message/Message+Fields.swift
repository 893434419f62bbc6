internal import Base

extension Message {
    /// A message's fields: those of its content, and what differs.
    package static let fields = MapDescription(
        "Campaign.message", "The content to show", "显示什么", rules: rules, elsewhere: MessageContent.androidFields,
        MessageContent.sharedRows.map(\.spec) + [
            FieldSpec("ios", .map(MessageContent.ios.description), "Overrides for iOS", "iOS 上的不同之处"),
            FieldSpec("android", .map(MessageContent.android.description), "Overrides for Android", "Android 上的不同之处"),
            FieldSpec(
                "vendors", .map(vendorFields), "Passed through to LeanCloud's content for a vendor",
                "原样传给 LeanCloud 对应厂商通道的内容"),
            FieldSpec(
                "languages", .entries(of: .map(MessageContent.language.description), keys: .language),
                "The words in other languages, by the one that a device reports in policy.languageField",
                "其他语言的文案；按设备在 policy.languageField 字段中的语言选用"),
        ])

    /// The contents for vendors, with the names of the vendors.
    fileprivate static let vendorFields = MapDescription(
        "Campaign.message.vendors", "Passed through to LeanCloud's content for a vendor", "原样传给 LeanCloud 对应厂商通道的内容",
        [
            ("mi", "Xiaomi", "小米"), ("hms", "Huawei", "华为"), ("mz", "Meizu", "魅族"), ("honor", "Honor", "荣耀"),
            ("vivo", "Vivo", "vivo"), ("oppo", "OPPO", "OPPO"), ("fcm", "Google", "Google"),
        ].map { FieldSpec($0, .object(keys: .anyKey), $1, $2) })
}

extension Message {
    /// Writes what is hashed of it.
    package func hash(to writer: inout ContentWriter) {
        writer.group("common") { MessageContent.android.hash(common, to: &$0) }
        if let ios { writer.group("ios") { MessageContent.android.hash(ios, to: &$0) } }
        if let android { writer.group("android") { MessageContent.android.hash(android, to: &$0) } }
        for (vendor, content) in vendors.sorted(by: { $0.key < $1.key }) {
            writer.write("vendor", vendor)
            writer.write("content", content)
        }
        for language in languages {
            writer.group("language \(language.name)") { MessageContent.android.hash(language.content, to: &$0) }
        }
    }
}

extension FieldForm<Message> {
    /// The content for every platform, the overrides for each, and the vendors' own fields.
    static let message = FieldForm(
        type: .map(Message.fields),
        read: { value in
            guard case .fields(let values) = value else { return nil }
            func other(_ place: Int) -> [FieldValue?]? { values[MessageContent.common.rows.count + place]?.fields }
            return Message(
                common: MessageContent.common.partialRecord(of: values),
                ios: other(0).map(MessageContent.ios.partialRecord),
                android: other(1).map(MessageContent.android.partialRecord), vendors: other(2).map(vendors) ?? [:],
                languages: values[MessageContent.common.rows.count + 3].map(languages) ?? [])
        },
        write: { message in
            .fields(
                MessageContent.common.values(of: message.common) + [
                    message.ios.map { .fields(MessageContent.ios.values(of: $0)) },
                    message.android.map { .fields(MessageContent.android.values(of: $0)) },
                    message.vendors.isEmpty ? nil : .json(.object(message.vendors)),
                    value(of: message.languages),
                ])
        },
        hash: { message, _, writer in message.hash(to: &writer) })

    private static func vendors(_ values: [FieldValue?]) -> JSONObject {
        var vendors: JSONObject = [:]
        for (spec, value) in zip(Message.vendorFields.fields, values) {
            if case .json(let content) = value { vendors[spec.name] = content }
        }
        return vendors
    }

    /// Languages as files write them; nil for none.
    static func value(of languages: [MessageLanguage]) -> FieldValue? {
        guard !languages.isEmpty else { return nil }
        return .entries(languages.map { ($0.name, .fields(MessageContent.language.values(of: $0.content))) })
    }

    /// Reads what ``value(of:)`` wrote.
    static func languages(_ value: FieldValue) -> [MessageLanguage] {
        guard case .entries(let entries) = value else { return [] }
        return entries.compactMap { name, value in
            value.fields.map {
                MessageLanguage(name: name, content: MessageContent.language.partialRecord(of: $0))
            }
        }
    }
}

extension Message {
    /// A number of bytes that no encoding of this message exceeds, if it holds each text at most `copies` times: at the
    /// top, and in each platform's object. Most messages are far below every limit; this tells so at a fraction of the
    /// cost of encoding them.
    package func encodedBytesBound(copies: Int) -> Int {
        copies * (common.bound + (ios?.bound ?? 0) + (android?.bound ?? 0))
            + vendors.reduce(0) { $0 + $1.value.canonicalByteCount + 20 }
            + copies * (languages.map(\.content.bound).max() ?? 0)
    }
}

extension MessageContent {
    /// Beside its texts: names of fields, numbers and punctuation of a content that sets everything.
    fileprivate var bound: Int { Self.android.rows.reduce(400) { $0 + ($1.value(self)?.textBytes ?? 0) } }
}
