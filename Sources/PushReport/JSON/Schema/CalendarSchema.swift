internal import JSONValue
internal import PushModel
internal import PushPlan

/// The calendar and the certificates of a plan.
enum CalendarSchema {
    static let calendar = SchemaPart.object(
        "When pushes go out; left out when none does.",
        [
            .init(
                "quietHours",
                SchemaPart.object(
                    "Hours in which no send starts.",
                    [
                        .init("from", timeOfDay("When they begin.")), .init("to", timeOfDay("When they end.")),
                        .init("timeZone", SchemaPart.text("Whose clock it is.")),
                    ], orNull: true)),
            .init(
                "minimumGap", SchemaPart.duration("How far apart two deliveries to the same devices should be.")),
            .init("entries", SchemaPart.list("By time.", of: SchemaPart.reference("calendarEntry"), minimum: 1)),
            .init(
                "collisions",
                SchemaPart.list("Deliveries that are nearer.", of: SchemaPart.reference("collision"))),
            .init("otherCollisions", SchemaPart.integer("How many more of those there are.")),
        ])

    static let entry = SchemaPart.object(
        "One delivery.",
        [
            .init(
                "campaign", SchemaPart.text("The campaign; null: a push that is not in the ledger.", orNull: true)),
            .init(
                "action",
                SchemaPart.choice(
                    "What the plan does; null: it is pending on the remote, and the plan leaves it.", of: Action.self,
                    orNull: true)),
            .init("at", SchemaPart.time("When it is sent.")),
            .init("latestStart", SchemaPart.time("Until when it may still start.", orNull: true)),
            .init("expiresAt", SchemaPart.time("When it stops being worth delivering.", orNull: true)),
            .init("blocked", SchemaPart.flag("Whether rules hold it back.")),
            .init(
                "localTimes",
                SchemaPart.list(
                    "In the largest time zones of its audience, and in that of the quiet hours.",
                    of: SchemaPart.reference("localTime"))),
        ])

    static let localTime = SchemaPart.object(
        "What clocks show somewhere.",
        [
            .init("timeZone", SchemaPart.text("The IANA name.")),
            .init(
                "devices",
                SchemaPart.integer(
                    "Devices of the audience that are there; null: the zone of the quiet hours.", orNull: true)),
            .init("at", SchemaPart.time("The time there.")),
            .init("remark", SchemaPart.text("What is odd about it.", orNull: true)),
        ])

    static let collision = SchemaPart.object(
        "Two deliveries that come close to each other.",
        [
            .init("first", SchemaPart.text("The earlier campaign; empty: a push that is not in the ledger.")),
            .init("second", SchemaPart.text("The later one.")),
            .init("apart", SchemaPart.duration("How far apart they are.")),
            .init("devices", SchemaPart.integer("Devices that get both; null: not counted.", orNull: true)),
        ])

    static let certificate = SchemaPart.object(
        "The certificate or key of a DeviceProfile.",
        [
            .init("name", SchemaPart.text("The DeviceProfile.")),
            .init("environment", SchemaPart.choice("Apple's environment.", of: PushEnvironment.self)),
            .init("topic", SchemaPart.text("The bundle id that it pushes to.")),
            .init(
                "topics",
                SchemaPart.list("The topics that the certificate names.", of: SchemaPart.text("A topic."))),
            .init("keyId", SchemaPart.text("The key's id; null: a certificate.", orNull: true)),
            .init(
                "fingerprint",
                SchemaPart.text(
                    "SHA-256 in hexadecimal; null: it could not be read.", orNull: true, pattern: "^[0-9a-f]+$")),
            .init("expiresAt", SchemaPart.time("When a certificate ends.", orNull: true)),
            .init(
                "daysLeft",
                SchemaPart.integer("Whole days to then; negative: it has ended.", orNull: true, minimum: nil)),
            .init(
                "campaigns",
                SchemaPart.list("The campaigns of the plan that it pushes.", of: SchemaPart.text("A campaign."))),
        ])

    private static func timeOfDay(_ description: String) -> OrderedJSON {
        SchemaPart.text(description, pattern: "^[0-2][0-9]:[0-5][0-9]$")
    }
}
