package import Base

extension NotificationLook {
    /// The record of a look; unset members are omitted, and so is the push type of an alert.
    package static let record = Record<NotificationLook>(
        NotificationLook(platform: .ios, pushType: .alert),
        [
            Field("platform", .choice(Platform.self), "The platform.", { $0.platform }, { $0.platform = $1 }),
            Field(
                optional: "language", .text, "The language of its words; absent: that of the message itself.",
                { $0.language }, { $0.language = $1 }),
            Field(
                optional: "variant", .text, "The variant; absent: all devices get the same.", { $0.variant },
                { $0.variant = $1 }),
            Field(
                optional: "pushType", .choice(PushType.self), "Apple's push type; absent: alert.", unless: .alert,
                { $0.pushType }, { $0.pushType = $1 }),
            Field(optional: "title", .localizable, "", { $0.title }, { $0.title = $1 }),
            Field(optional: "subtitle", .localizable, "", { $0.subtitle }, { $0.subtitle = $1 }),
            Field(optional: "body", .localizable, "", { $0.body }, { $0.body = $1 }),
            Field(
                optional: "badge", .badge, "The number on the icon, or increment.", { $0.badge },
                { $0.badge = $1 }),
            Field(optional: "sound", .sound, "The sound.", { $0.sound }, { $0.sound = $1 }),
            Field(
                optional: "interruptionLevel", .choice(InterruptionLevel.self), "The interruption level.",
                { $0.interruptionLevel }, { $0.interruptionLevel = $1 }),
            Field(optional: "threadId", .text, "The group of notifications.", { $0.threadId }, { $0.threadId = $1 }),
            Field(optional: "category", .text, "The category of actions.", { $0.category }, { $0.category = $1 }),
            Field(
                optional: "collapseId", .text, "Notifications of one id replace each other.", { $0.collapseId },
                { $0.collapseId = $1 }),
            Field(
                optional: "image", .text, "The address of a picture that the app is given.", { $0.image },
                { $0.image = $1 }),
            Field(
                optional: "activity", .choice(LiveActivity.Event.self), "The event of a Live Activity.",
                { $0.activity }, { $0.activity = $1 }),
            Field(
                optional: "contentState", .object, "The data of the Live Activity.", { $0.contentState },
                { $0.contentState = $1 }),
            Field(
                optional: "services", .list(of: .record(ShownService.record), minimum: 1),
                "The services that show it on Android devices.", unless: [], { $0.services }, { $0.services = $1 }),
        ])
}

extension ShownService {
    fileprivate static let record = Record<ShownService>(
        ShownService(.fcm),
        [
            Field("vendor", .choice(PushVendor.self), "The service.", { $0.vendor }, { $0.vendor = $1 }),
            Field(
                optional: "settings", .list(of: .text, "A field and its value.", minimum: 1),
                "What the message bears for it.", unless: [], { $0.settings }, { $0.settings = $1 }),
            Field(
                optional: "mostTitle", .count, "The most characters of a title.", { $0.mostTitle },
                { $0.mostTitle = $1 }),
            Field(
                optional: "mostBody", .count, "The most characters of a text.", { $0.mostBody }, { $0.mostBody = $1 }),
            Field(
                optional: "mostPerDay", .count, "The messages of this kind that it shows a device in a day.",
                { $0.mostPerDay }, { $0.mostPerDay = $1 }),
            Field(
                optional: "hours", .text, "The hours in which it delivers this kind of message, in China's time.",
                { $0.hours }, { $0.hours = $1 }),
            Field(
                optional: "leftOut", .flag, "True: it takes no such message.", unless: false, { $0.isLeftOut },
                { $0.isLeftOut = $1 }),
        ])
}

extension JSONForm<LocalizableText> {
    /// A text, or a key of the app's localized texts with arguments.
    static var localizable: Self {
        JSONForm(
            schema: { _, _ in SchemaPart.reference("localizable") },
            write: { value in
                switch value {
                case .text(let text): .string(text)
                case .localized(let key, let arguments):
                    LocalizedKey.record.json(of: .init(key: key, arguments: arguments))
                }
            }
        ) { value throws(RecordError) in
            if let text = value.string { return .text(text) }
            let localized = try LocalizedKey.record.read(value)
            return .localized(key: localized.key, arguments: localized.arguments)
        }
    }

    /// The definition that ``localizable`` refers to.
    package static var localizableSchema: OrderedJSON {
        [
            "description": .string("The text, or the key of a text that the app has localized."),
            "anyOf": [["type": .string("string")], LocalizedKey.record.schema("A key.")],
        ]
    }
}

extension LocalizedKey {
    fileprivate static let record = Record<LocalizedKey>(
        LocalizedKey(key: "", arguments: []),
        [
            Field("key", .text, "The key.", { $0.key }, { $0.key = $1 }),
            Field(
                optional: "args", .list(of: .text, "One of them.", minimum: 1), "The values of its placeholders.",
                unless: [],
                { $0.arguments }, { $0.arguments = $1 }),
        ])
}

extension JSONForm<Badge> {
    /// A number, or `increment`.
    static var badge: Self {
        JSONForm(
            schema: { sentence, _ in
                [
                    "description": .string(sentence),
                    "anyOf": [["type": .string("integer"), "minimum": .integer(0)], ["const": .string("increment")]],
                ]
            },
            write: { badge in
                switch badge {
                case .number(let number): .integer(number)
                case .increment: .string("increment")
                }
            }
        ) { value throws(RecordError) in
            guard let word = value.string else { return .number(try JSONForm<Int>.integer().read(value)) }
            guard word == "increment" else { throw RecordError(.unknown(word)) }
            return .increment
        }
    }
}

extension JSONForm<Sound> {
    /// A sound's name, or an object with all its settings.
    static var sound: Self {
        JSONForm(
            schema: { sentence, _ in
                [
                    "description": .string(sentence),
                    "anyOf": [
                        ["type": .string("string")], DetailedSound.record.schema("The sound with all its settings."),
                    ],
                ]
            },
            write: { sound in
                switch sound {
                case .name(let name): .string(name)
                case .detailed(let name, let critical, let volume):
                    DetailedSound.record.json(of: DetailedSound(name: name, critical: critical, volume: volume))
                }
            }
        ) { value throws(RecordError) in
            if let name = value.string { return .name(name) }
            let sound = try DetailedSound.record.read(value)
            return .detailed(name: sound.name, critical: sound.critical, volume: sound.volume)
        }
    }
}

extension DetailedSound {
    fileprivate static let record = Record<DetailedSound>(
        DetailedSound(name: "", critical: false),
        [
            Field("name", .text, "The file, or default.", { $0.name }, { $0.name = $1 }),
            Field("critical", .flag, "True for a critical alert.", { $0.critical }, { $0.critical = $1 }),
            Field(optional: "volume", .volume, "The volume, from 0 to 1.", { $0.volume }, { $0.volume = $1 }),
        ])
}

extension JSONForm<Double> {
    fileprivate static var volume: Self {
        JSONForm(
            schema: { sentence, _ in
                [
                    "description": .string(sentence), "type": .string("number"), "minimum": .integer(0),
                    "maximum": .integer(1),
                ]
            }, write: { .value(.number($0)) }
        ) { value throws(RecordError) in
            guard let number = value.double else { throw RecordError(.type) }
            return number
        }
    }
}
