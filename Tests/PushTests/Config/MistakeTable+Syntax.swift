extension MistakeTableTests {
    private static let mapping = "keys of the same mapping begin in the same column"
    private static let quote = "put the text in quotes"
    private static let merge = "<<<<<<< HEAD\n  body: a\n=======\n  body: b\n>>>>>>> x"

    /// Mistakes in the YAML of a campaign, and words from elsewhere.
    static let syntax: [Mistake] = [
        .init("  body", "\tbody", "6:1 yaml-syntax: a tab cannot indent a line", "use spaces, two for each level"),
        .init("Giants won", "@everyone Giants won", "6:9 yaml-syntax: a text cannot begin with '@'", quote),
        .init("Giants won", "*Giants* won", "6:9 yaml-syntax: a text cannot begin with '*'", quote),
        .init(
            "Giants won", "&Giants won", "6:9 invalid-value: '&Giants' names the text after it, and is no part of it",
            "put the text in quotes if '&Giants' is part of it"),
        .init(
            "  body", "  title: Giants\n   body",
            "7:8 yaml-syntax: this line is indented further than the one above, which is complete", mapping),
        .init(
            "  body", "  title: Giants\n body",
            "7:2 yaml-syntax: the indentation of this line fits no line above it", mapping),
        .init(
            "body: ", "body：", "6:3 wrong-type: 'message' must be a mapping, but found a string",
            "write ': ' instead of the full-width '：'"),
        .init(
            "name: ", "name：", "2:1 yaml-syntax: this line has no ': ' and continues nothing",
            "write ': ' instead of the full-width '：'"),
        .init(
            "body: ", "body:", "6:3 wrong-type: 'message' must be a mapping, but found a string",
            "put a space after ':'"),
        .init("Giants won", "Today: 50% off", "6:14 yaml-syntax: a text that contains ': ' must be quoted", quote),
        .init(
            "Giants won", "\"Giants won", "6:9 yaml-syntax: the quote that opens here is never closed",
            "add \" at its end"),
        .init(
            "  body: Giants won", "  title: \"Giants\n  body: \"won\"",
            "6:10 yaml-syntax: the quote that opens here is closed only in line 7",
            #"close it where the text ends; inside the quotes write \" for ""#),
        .init(
            "Giants won", "'It's now 2-2'", "6:13 yaml-syntax: nothing may follow the closing quote",
            "inside the quotes write '' for ', and quote all of the text"),
        .init(
            "[Giants]", "[Giants", "4:13 yaml-syntax: the '[' that opens here is not closed",
            "add ']', or the ',' that is missing between two of its entries"),
        .init(
            "Giants won", "#1 in the league",
            "6:8 wrong-type: 'body' must be a string or a mapping, but found null",
            "'#' begins a comment: put the text in quotes"),
        .init(
            "Giants won", "We are #1", "6:9 invalid-value: 'body' ends where '#' begins a comment",
            "put the text in quotes if the rest of the line is part of it"),
        .init(
            "  body: Giants won", merge, "6:1 yaml-syntax: a merge conflict is not resolved",
            "keep one side and delete the lines that begin with <<<<<<<, ======= and >>>>>>>"),
        .init(
            "Giants won", "Hi {firstName}!", "6:3 invalid-value: 'body': '{firstName}' is sent as it stands",
            "for a value of the device write {{firstName|there}}, with the words for a device without it"),
        .init(
            "Giants won", "Hi ${firstName}!", "6:9 unknown-reference: value 'firstName' is not declared",
            "declare it under 'values' in bugle.yaml, write {{firstName|…}} for a value of the device, or $${ where the "
                + "text itself is meant"),
        .init("Giants won", "'{1} {a b} {} {{x|{y}}} }{'"),
        .init(
            "channels: [Giants]", "where: {age: \"> 18\"}",
            "4:16 invalid-condition: '> 18' is a text to be equal to, not a comparison", "write age: {$gt: 18}"),
        .init(
            "channels: [Giants]", "where: {age: \">=18\"}",
            "4:16 invalid-condition: '>=18' is a text to be equal to, not a comparison", "write age: {$gte: 18}"),
        .init(
            "channels: [Giants]", "where: {face: \">_<\", arrow: \">\"}",
            "4:17 invalid-condition: '>_<' is a text to be equal to, not a comparison", "write face: {$gt: _<}"),
        .init(
            "  body", "body", "5:9 wrong-type: 'message' must be a mapping, but found null",
            "indent its fields under it", "6:1 unknown-key: unknown key 'body'; it belongs in 'message'"),
        .init("body", "alert", "6:3 unknown-key: unknown key 'alert'; did you mean 'body'?"),
        .init("channels", "channel", "4:3 unknown-key: unknown key 'channel'; did you mean 'channels'?"),
        .init(
            "expiration", "push_time: 2026-11-27T20:00:00+08:00\nexpiration",
            "7:1 unknown-key: unknown key 'push_time'; did you mean 'schedule.at'?"),
        .init(
            "expiration: {after: 7d}", "expire: 7d", "7:1 unknown-key: unknown key 'expire'; did you mean 'expiration'?"
        ),
        .init(
            "  body", "  newsItem: 5\n  body", "6:3 unknown-key: unknown key 'newsItem'",
            "custom keys belong in 'data'"),
        .init(
            "  body", "  badge: +1\n  body", "6:10 invalid-value: 'badge' is set to a number, not raised by it",
            "write increment to add one, or the number without '+'"),
        .init(
            "  body", "  contentAvailable: 1\n  body",
            "6:21 wrong-type: 'contentAvailable' must be true or false, but found an integer", "write true"),
        .init(
            "", "environment: dev\n",
            "8:14 invalid-value: 'environment' must be production or development, but found 'dev'; did you mean 'development'?"
        ),
        .init(
            "\n  channels: [Giants]", " everyone", "3:11 wrong-type: 'audience' must be a mapping, but found a string",
            "write {everyone: true}"),
        .init("7d", "604800", "7:21 wrong-type: \(duration) an integer", "write 604800s or 7d"),
        .init("7d", "7 days", "7:21 invalid-value: \(duration) '7 days'", "write 7d"),
        .init(
            "{after: 7d}", "7d",
            "7:13 wrong-type: 'expiration' must be {after: 7d}, {at: INSTANT} or never, but found a string",
            "write {after: 7d}"),
        .init(
            "expiration", "schedule: {at: 2026-13-01T20:00:00+08:00}\nexpiration",
            "7:16 invalid-value: \(instant) '2026-13-01T20:00:00+08:00'", "there is no day 2026-13-01"),
        .init(
            "expiration", "schedule: {at: 2026-11-27T20:00:00}\nexpiration",
            "7:16 invalid-value: \(instant) '2026-11-27T20:00:00'",
            "add the offset from UTC, for example 2026-11-27T20:00:00+08:00, or 'zone: device', which sends when each "
                + "device's own clock shows the time"),
        .init(
            "[Giants]", "[Dodgers]", "4:14 unknown-reference: channel 'Dodgers' is not declared",
            "declare it in a document with kind: Channel and name: Dodgers"),
        .init(
            "channels: [Giants]", "where: {name: {$contains: a}}",
            "4:18 invalid-condition: unknown operator '$contains'",
            "'$regex' matches part of a string; field: value matches an element of a list"),
        .init(
            "channels: [Giants]", "where: {age: {gte: 18}}",
            "4:17 invalid-condition: 'gte' is a field of an object here, not an operator", "write '$gte' to compare"),
    ]

    static let instant = "'at' must be \(anInstant)"
    static let duration = "'after' must be \(aDuration)"

    /// Whole files.
    static let wholes: [Mistake] = [
        .init(
            "", "kind: Channel\nname: A\nkind: Channel\nname: B\n", "3:1 duplicate-key: duplicate key 'kind'",
            "if a second document begins here, put a line '---' above it", "4:1 duplicate-key: duplicate key 'name'"),
        .init("", #"{"kind": "Campaign", "name": "a", "audience": {"everyone": true}, "message": {"body": "won"}}"#),
        .init("", ""),
        .init(
            "",
            "kind: DeviceProfile\nname: d\nenvironment: production\ntopic: com.example.d\ncertificate: d.p12\n",
            "5:14 wrong-type: 'certificate' must be a mapping, but found a string", "write {file: d.p12}"),
    ]

    /// Mistakes in the address of a remote.
    static let addresses: [Mistake] = [
        .init(
            "http://127.0.0.1:8710", "https://giants.lncldglobal.com/1.1",
            "7:10 invalid-value: 'url' must end before the version: leave '/1.1' out",
            "write https://giants.lncldglobal.com"),
        .init(
            "http://127.0.0.1:8710", "giants.example.com",
            "7:10 invalid-value: 'url' must begin with https:// (or http:// for this machine)",
            "write https://giants.example.com"),
    ]
}
