extension MistakeTableTests {
    /// A time that is no duration.
    private static func after(_ written: String, _ advice: String? = nil) -> Mistake {
        let said = "7:21 invalid-value: \(duration) '\(written)'"
        return advice.map { Mistake("7d", written, said, $0) } ?? Mistake("7d", written, said)
    }

    /// Mistakes in the messages and audiences of a campaign.
    static let campaigns: [Mistake] = [
        .init(
            "  body", "  badge: auto\n  body",
            "6:10 invalid-value: 'badge' must be an integer or 'increment', but found 'auto'"),
        .init(
            "  body", "  sound: true\n  body",
            "6:10 wrong-type: 'sound' must be a string or a mapping, but found a boolean",
            "quote it to make it a string"),
        .init(
            "  body", "  title: 5\n  body",
            "6:10 wrong-type: 'title' must be a string or a mapping, but found an integer",
            "quote it to make it a string"),
        .init("Giants won", "[a]", "6:9 wrong-type: 'body' must be a string or a mapping, but found a sequence"),
        .init(
            "Giants won", "true", "6:9 wrong-type: 'body' must be a string or a mapping, but found a boolean",
            "quote it to make it a string"),
        .init("Giants won", #""""#, "6:9 invalid-value: 'body' must not be empty"),
        .init("Giants won", "", "6:8 wrong-type: 'body' must be a string or a mapping, but found null"),
        .init(
            "  body", "  priority: high\n  body", "6:13 wrong-type: 'priority' must be 10, 5 or 1, but found a string"),
        .init("  body", "  priority: 7\n  body", "6:13 invalid-value: 'priority' must be 10, 5 or 1"),
        .init("  body", "  data: [a]\n  body", "6:9 wrong-type: 'data' must be a mapping, but found a sequence"),
        .init(
            "  body", "  data: {aps: {badge: 1}}\n  body",
            "6:10 reserved-key: 'aps' is reserved and cannot be a custom key"),
        .init(
            "  body", "  data: {_x: 1}\n  body",
            "6:10 reserved-key: '_x' is reserved: custom keys do not begin with '_'"),
        .init(
            "  body", "  pushType: silent\n  body",
            "6:13 invalid-value: 'pushType' must be alert, background, voip, complication, fileprovider, mdm, location, liveactivity, pushtotalk, widgets or controls, but found 'silent'"
        ),
        .init(
            "  body", "  interruptionLevel: critcal\n  body",
            "6:22 invalid-value: 'interruptionLevel' must be passive, active, timeSensitive or critical, but found 'critcal'; did you mean 'critical'?"
        ),
        .init(
            "  body", "  interruptionLevel: time-sensitive\n  body",
            "6:22 invalid-value: 'interruptionLevel' must be passive, active, timeSensitive or critical, but found 'time-sensitive'; did you mean 'timeSensitive'?"
        ),
        .init(
            "  body", "  interruption-level: active\n  body",
            "6:3 unknown-key: unknown key 'interruption-level'; did you mean 'interruptionLevel'?"),
        .init("  body", "  thread-id: a\n  body", "6:3 unknown-key: unknown key 'thread-id'; did you mean 'threadId'?"),
        .init(
            "  body", "  mutable-content: 1\n  body",
            "6:3 unknown-key: unknown key 'mutable-content'; did you mean 'mutableContent'?"),
        .init(
            "  body", "  content-available: 1\n  body",
            "6:3 unknown-key: unknown key 'content-available'; did you mean 'contentAvailable'?"),
        .init(
            "  body", "  mutableContent: 1\n  body",
            "6:19 wrong-type: 'mutableContent' must be true or false, but found an integer", "write true"),
        .init("  body", "  silent: true\n  body", "6:3 unknown-key: unknown key 'silent'; it belongs in 'android'"),
        .init(
            "  body", "  image: https://example.com/a.png\n  body", "6:3 unknown-key: unknown key 'image'",
            "custom keys belong in 'data'"),
        .init(
            "  body", "  url: https://example.com\n  body", "6:3 unknown-key: unknown key 'url'",
            "custom keys belong in 'data'"),
        .init(
            "", "environment: Production\n",
            "8:14 invalid-value: 'environment' must be production or development, but found 'Production'; did you mean 'production'?"
        ),
        .init(
            "", "environment: sandbox\n",
            "8:14 invalid-value: 'environment' must be production or development, but found 'sandbox'; did you mean 'development'?"
        ),
        .init(
            "", "environment: [production]\n",
            "8:14 wrong-type: 'environment' must be production or development, but found a sequence"),
        .init(
            "7d", "7",
            "7:21 wrong-type: \(duration) an integer",
            "add the unit: 7s, 7m, 7h or 7d"),
        after("1 month"),
        after("7D", "write 7d"),
        after("1.5h"),
        after("P7D", "write 7d"),
        after("1y"),
        after("7天", "write 7d"),
        .init(
            "{after: 7d}", "none",
            "7:13 wrong-type: 'expiration' must be {after: 7d}, {at: INSTANT} or never, but found a string",
            "its fields are after, at"),
        .init(
            "{after: 7d}", "2026-12-01T00:00:00+08:00",
            "7:13 wrong-type: 'expiration' must be {after: 7d}, {at: INSTANT} or never, but found a string",
            "write {at: 2026-12-01T00:00:00+08:00}"),
        .init(
            "{after: 7d}", "{after: 7d, at: 2026-12-01T00:00:00+08:00}",
            "7:25 conflicting-keys: 'after' and 'at' exclude each other"),
        .init(
            "", "revision: \"2\"\n", "8:11 wrong-type: 'revision' must be an integer, but found a string",
            "remove the quotes"),
        .init("", "revision: 0\n", "8:11 invalid-value: 'revision' must be at least 1"),
        .init("", "enabled: false\n", "8:1 unknown-key: unknown key 'enabled'"),
        .init(
            "[Giants]", "Giants", "4:13 wrong-type: 'channels' must be a list, but found a string",
            "a list of one is written ['Giants']"),
        .init(
            "[Giants]", "Giants, Dodgers", "4:13 wrong-type: 'channels' must be a list, but found a string",
            "a list is written [Giants, Dodgers]"),
        .init("[Giants]", "[]", "4:13 invalid-value: 'channels' must not be empty"),
        .init("[Giants]", "[Giants, Giants]", "4:22 invalid-value: 'Giants' is listed twice in 'channels'"),
        .init(
            "[Giants]", "\n    -Giants", "5:5 wrong-type: 'channels' must be a list, but found a string",
            "put a space after '-'"),
        .init(
            "[Giants]", "[giants]", "4:14 unknown-reference: channel 'giants' is not declared; did you mean 'Giants'?"),
        .init("[Giants]", "{Giants: true}", "4:13 wrong-type: 'channels' must be a list, but found a mapping"),
        .init(
            "\n  channels: [Giants]", " all", "3:11 wrong-type: 'audience' must be a mapping, but found a string",
            "write {everyone: true}"),
        .init(
            "\n  channels: [Giants]", " [Giants]",
            "3:11 wrong-type: 'audience' must be a mapping, but found a sequence",
            "its fields are everyone, channels, segments, where, platforms, deviceProfile, devices"),
        .init(
            "\n  channels: [Giants]", " {}", "3:1 missing-key: 'audience' is empty",
            "set everyone: true if that is intended"),
        .init(
            "channels: [Giants]", "everyone: false", "4:13 invalid-value: 'everyone' can only be true",
            "leave it out"),
        .init(
            "channels: [Giants]", "everyone: yes", "4:13 wrong-type: 'everyone' must be true, but found a string",
            "a boolean is written true or false, without quotes"),
        .init(
            "channels: [Giants]", "everyone: true\n  channels: [Giants]",
            "5:3 conflicting-keys: 'everyone' and 'channels' exclude each other"),
        .init(
            "channels: [Giants]", "segment: reports", "4:3 unknown-key: unknown key 'segment'; did you mean 'segments'?"
        ),
        .init(
            "channels: [Giants]", "segments: [report]",
            "4:14 unknown-reference: segment 'report' is not declared; did you mean 'reports'?"),
        .init(
            "channels: [Giants]", #"where: "age > 18""#,
            "4:10 wrong-type: 'where' must be a mapping, but found a string",
            "compare fields with values, for example {age: {$gte: 18}}"),
        .init(
            "channels: [Giants]", "where: {age: {$gt: }}",
            "4:22 wrong-type: '$gt' must be a number, a string or a Date, but found null"),
        .init(
            "channels: [Giants]", "where: {age: {$in: 18}}",
            "4:22 wrong-type: '$in' must be a list, but found an integer"),
        .init(
            "channels: [Giants]", "where: {$or: {a: 1}}",
            "4:16 wrong-type: '$or' must be a list of conditions, but found a mapping"),
        .init(
            "channels: [Giants]", "where: {age: {$gte: [18]}}",
            "4:23 wrong-type: '$gte' must be a number, a string or a Date, but found a sequence"),
        .init(
            "channels: [Giants]", "where: {age: {$exists: 1}}",
            "4:26 wrong-type: '$exists' must be true or false, but found an integer", "write true"),
        .init(
            "channels: [Giants]", "where: {age: {$gtee: 1}}",
            "4:17 invalid-condition: unknown operator '$gtee'; did you mean '$gte'?"),
        .init(
            "channels: [Giants]", "where: [{a: 1}]", "4:10 wrong-type: 'where' must be a mapping, but found a sequence"),
        .init(
            "channels: [Giants]", "where: {user-age: 1}",
            "4:11 invalid-condition: 'user-age' is not the name of a field",
            "use letters, digits and '_', and '.' for fields of objects"),
        .init(
            "[Giants]", "[Giants]\n  deviceProfile: drvr",
            "5:18 unknown-reference: device profile 'drvr' is not declared",
            "declare it in a document with kind: DeviceProfile and name: drvr"),
        .init(
            "", "rollout: 10%\n", "8:10 wrong-type: 'rollout' must be a mapping, but found a string",
            "its fields are stages, bake, stopWhen, minimum"),
        .init(
            "", "rollout: [1%, 10%, 100%]\n", "8:10 wrong-type: 'rollout' must be a mapping, but found a sequence",
            "its fields are stages, bake, stopWhen, minimum"),
        .init(
            "", "rollout: {stages: [1, 10]}\n", "8:1 missing-key: missing key 'stopWhen'",
            "8:20 wrong-type: an element of 'stages' must be a percentage such as 20%, but found an integer",
            "write 1%",
            "8:23 wrong-type: an element of 'stages' must be a percentage such as 20%, but found an integer",
            "write 10%"),
        .init(
            "  body", "  languages: {english: {body: a}}\n  body",
            "6:14 missing-key: 'message.languages' needs the field in which devices report their language",
            "name it in bugle.yaml: policy: {languageField: language}",
            "6:15 invalid-name: 'english' is not a valid language",
            "use a language as BCP 47 names it, such as en, pt-BR or zh-Hant"),
        .init(
            "  body", "  languages: {zh_CN: {body: a}}\n  body",
            "6:14 missing-key: 'message.languages' needs the field in which devices report their language",
            "name it in bugle.yaml: policy: {languageField: language}",
            "6:15 invalid-name: 'zh_CN' is not a valid language", "write zh-CN"),
        .init(
            "  body", "  languages: {zh: 你好}\n  body", "6:19 wrong-type: 'zh' must be a mapping, but found a string",
            "write {body: 你好}"),
        .init(
            "Giants won", #""Hi {{firstName}}""#, "6:3 invalid-value: 'body': '{{firstName}}' is no personal text",
            "write the words for a device without a value behind it: {{firstName|there}}"),
        .init(
            "Giants won", #""Hi {{firstName|you""#, "6:3 invalid-value: 'body': '{{' is never closed",
            "name a field of the installation, and the words for a device without it: {{firstName|there}}"),
        .init(
            "  body", "  category: \"{{a|b}}\"\n  body",
            "6:3 not-supported: 'category' has the same text for every device",
            "a device's values may stand in 'title', 'subtitle', 'body' and the texts of 'data' only"),
        .init("Giants won", "%d wins", "6:9 yaml-syntax: a text cannot begin with '%'", "put the text in quotes"),
        .init("Giants won", "`Giants` won", "6:9 yaml-syntax: a text cannot begin with '`'", "put the text in quotes"),
        .init(
            "Giants won", "!Giants won", "6:3 empty-message: the message has nothing to show and no 'contentAvailable'",
            "6:9 unknown-tag: unknown tag '!Giants'",
            "quote the text if '!' is part of it; the tags are !!str, !!int, !!float, !!bool, !!null, !!seq and !!map"),
        .init("Giants won", "> Giants won", "6:9 yaml-syntax: a text cannot begin with '>'", "put the text in quotes"),
        .init("Giants won", "| Giants won", "6:9 yaml-syntax: a text cannot begin with '|'", "put the text in quotes"),
        .init(
            "Giants won", "- Giants won", "6:9 yaml-syntax: a list cannot begin on the line of its key",
            "put '- ' on the next line, or quote a text that begins with it"),
        .init("Giants won", "? Giants won", "6:9 yaml-syntax: a text cannot begin with '?'", "put the text in quotes"),
        .init(
            "Giants won", #""a\d""#, #"6:11 yaml-syntax: '\d' is no escape"#,
            #"write \\ for a backslash, or put the text in single quotes"#),
        .init(
            "Giants won", "Giants\n  won", "7:3 yaml-syntax: this line has no ': ' and continues nothing",
            "write a text of several lines after '|', indented"),
        .init(
            "{after: 7d}", "{after: 7d} // a week", "7:25 yaml-syntax: '//' begins no comment", "write # instead of //"),
        .init(
            "name: score", "name = score", "2:1 yaml-syntax: this line has no ': ' and continues nothing",
            "write ': ' instead of '='"),
        .init(
            "name: score", "name:score", "2:1 yaml-syntax: this line has no ': ' and continues nothing",
            "put a space after ':'"),
        .init(
            "  body", "  languages: {no: {body: a}}\n  body",
            "6:14 missing-key: 'message.languages' needs the field in which devices report their language",
            "name it in bugle.yaml: policy: {languageField: language}"),
        .init("  body", "  body: a\n  body", "7:3 duplicate-key: duplicate key 'body'"),
        .init(
            "\n  body: Giants won", " Giants won", "5:10 wrong-type: 'message' must be a mapping, but found a string",
            "write {body: Giants won}"),
        .init("  body", "  - body", "6:3 wrong-type: 'message' must be a mapping, but found a sequence"),
        .init(
            "[Giants]", "*giants", "4:13 unknown-alias: alias '*giants' has no anchor before it",
            "quote the text if '*' is part of it"),
        .init(
            "[Giants]", "!include a.yaml", "4:13 unknown-tag: unknown tag '!include'",
            "quote the text if '!' is part of it; the tags are !!str, !!int, !!float, !!bool, !!null, !!seq and !!map"),
    ]
}
