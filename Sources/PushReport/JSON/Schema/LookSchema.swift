internal import JSONValue
internal import PushModel
internal import PushPlan

/// What a device shows of a message.
enum LookSchema {
    static let look = SchemaPart.object(
        "What a device of one platform shows; what is not set is left out.",
        [
            .init("platform", SchemaPart.choice("The platform.", of: Platform.self)),
            .init(optional: "pushType", SchemaPart.choice("Apple's push type; left out: alert.", of: PushType.self)),
            .init(optional: "title", SchemaPart.reference("text")),
            .init(optional: "subtitle", SchemaPart.reference("text")),
            .init(optional: "body", SchemaPart.reference("text")),
            .init(
                optional: "badge",
                SchemaPart.either(
                    "The number on the icon.",
                    [SchemaPart.integer("It becomes this."), ["const": .string("increment")]])),
            .init(
                optional: "sound",
                SchemaPart.either(
                    "The sound.",
                    [
                        SchemaPart.text("Its name."),
                        SchemaPart.object(
                            "All of it.",
                            [
                                .init("name", SchemaPart.text("Its name.")),
                                .init("critical", SchemaPart.flag("Whether it is heard though the device is muted.")),
                                .init(
                                    optional: "volume",
                                    ["description": .string("From 0 to 1."), "type": .string("number")]),
                            ]),
                    ])),
            .init(
                optional: "interruptionLevel", SchemaPart.choice("How it interrupts.", of: InterruptionLevel.self)),
            .init(optional: "threadId", SchemaPart.text("What groups notifications.")),
            .init(optional: "category", SchemaPart.text("The category of actions.")),
            .init(optional: "collapseId", SchemaPart.text("Notifications of one id replace each other.")),
            .init(optional: "image", SchemaPart.text("The address of a picture.")),
            .init(
                optional: "activity",
                SchemaPart.choice("What happens to a Live Activity.", of: LiveActivity.Event.self)),
            .init(optional: "contentState", SchemaPart.anyObject("What the Live Activity is told.")),
        ])

    static let text = SchemaPart.either(
        "A text, or what the app makes one of.",
        [
            SchemaPart.text("The text."),
            SchemaPart.object(
                "A key of the app's own texts.",
                [
                    .init("key", SchemaPart.text("The key.")),
                    .init(
                        optional: "args",
                        SchemaPart.list("What fills its places.", of: SchemaPart.text("A part."), minimum: 1)),
                ]),
        ])
}
