internal import JSONValue
internal import PushModel
internal import PushPlan

/// Whom a delivery reaches.
enum AudienceSchema {
    static let audience = SchemaPart.object(
        "Whom it reaches.",
        [
            .init("devices", SchemaPart.integer("How many devices; null: not counted.", orNull: true)),
            .init("description", SchemaPart.text("Whom, in words.")),
            .init(optional: "explanation", SchemaPart.reference("explanation")),
            .init(
                optional: "environments",
                counts("Devices in each of Apple's environments.", PushEnvironment.allCases.map(\.rawValue))),
            .init(
                optional: "lastDelivery",
                SchemaPart.object(
                    "The campaign's last delivery.",
                    [
                        .init("revision", SchemaPart.integer("The campaign's revision then.", minimum: 1)),
                        .init("at", SchemaPart.time("When it was sent.")),
                        .init("devices", SchemaPart.integer("Devices that it was sent to.")),
                    ])),
            .init(
                optional: "overlaps",
                SchemaPart.list(
                    "Other deliveries of the plan that reach some of the same devices.",
                    of: SchemaPart.object(
                        "One of them.",
                        [
                            .init("campaign", SchemaPart.text("The other campaign.")),
                            .init("devices", SchemaPart.integer("How many devices both reach.")),
                        ]))),
        ], orNull: true)

    static let explanation = SchemaPart.object(
        "What the audience is made of now; what is not known is left out.",
        [
            .init("devices", SchemaPart.integer("Devices that a push would reach.")),
            .init(optional: "platforms", counts("Devices by platform.")),
            .init(optional: "deviceProfiles", counts("Devices by deviceProfile; the empty name: none.")),
            .init(optional: "timeZones", counts("Devices by time zone; the empty name: none is known.")),
            .init(
                optional: "skipped",
                counts(
                    "Devices that fit the condition and get nothing.",
                    AudienceExplanation.Skip.allCases.map(\.rawValue))),
            .init(
                optional: "timeZoneSample",
                SchemaPart.integer("How many devices the time zones speak of; left out: all.")),
        ])

    /// Numbers by name.
    private static func counts(_ description: String, _ names: [String]? = nil) -> OrderedJSON {
        .object(
            [
                ("description", .string(description)), ("type", .string("object")),
                ("additionalProperties", SchemaPart.integer("Devices.")),
            ] + (names.map { [("propertyNames", SchemaPart.choice($0))] } ?? []))
    }
}
