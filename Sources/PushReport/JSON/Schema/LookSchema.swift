internal import JSONValue
internal import PushModel
internal import PushPlan

/// What a device shows of a message.
enum LookSchema {
    static let look = SchemaPart.object(
        "What a device of one platform shows; only what is set is there.",
        [
            .init("platform", SchemaPart.choice("The platform.", of: Platform.self)),
            .init(optional: "pushType", SchemaPart.choice("Apple's push type; absent: alert.", of: PushType.self)),
            .init(optional: "title", SchemaPart.reference("localizable")),
            .init(optional: "subtitle", SchemaPart.reference("localizable")),
            .init(optional: "body", SchemaPart.reference("localizable")),
            .init(
                optional: "badge",
                [
                    "description": .string("The number on the icon, or one more than there is."),
                    "anyOf": [["type": .string("integer"), "minimum": .integer(0)], ["const": .string("increment")]],
                ]),
            .init(
                optional: "sound",
                [
                    "description": .string("The sound."),
                    "anyOf": [["type": .string("string")], SchemaPart.object("All of it.", sound)],
                ]),
            .init(
                optional: "interruptionLevel", SchemaPart.choice("How it interrupts.", of: InterruptionLevel.self)),
            .init(optional: "threadId", SchemaPart.text("What groups notifications.")),
            .init(optional: "category", SchemaPart.text("The category of actions.")),
            .init(optional: "collapseId", SchemaPart.text("Notifications of one id replace each other.")),
            .init(optional: "image", SchemaPart.text("The address of a picture that the app is told of.")),
            .init(
                optional: "activity",
                SchemaPart.choice("What happens to a Live Activity.", of: LiveActivity.Event.self)),
            .init(optional: "contentState", SchemaPart.anyObject("What the Live Activity is told.")),
        ])

    /// A text, or a key of the app's with what fills its places.
    static let localizable: OrderedJSON = [
        "description": .string("The text, or the key of a text that the app has localized."),
        "anyOf": [
            ["type": .string("string")],
            SchemaPart.object(
                "A key.",
                [
                    .init("key", SchemaPart.text("The key.")),
                    .init(
                        optional: "args",
                        SchemaPart.list("What fills its places.", of: SchemaPart.text("One of them."), minimum: 1)),
                ]),
        ],
    ]

    private static let sound: [SchemaPart.Member] = [
        .init("name", SchemaPart.text("The file, or default.")),
        .init("critical", SchemaPart.flag("Whether it is a critical alert's.")),
        .init(
            optional: "volume",
            [
                "description": .string("How loud, from 0 to 1."), "type": .string("number"), "minimum": .integer(0),
                "maximum": .integer(1),
            ]),
    ]
}
