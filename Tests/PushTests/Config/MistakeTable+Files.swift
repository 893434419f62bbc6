extension MistakeTableTests {
    /// A secret in plain text.
    private static func plain(_ secret: String) -> Mistake {
        Mistake(
            "{env: BUGLE_SERVER_KEY}", secret,
            "9:16 plain-secret: 'masterKey' is a secret and must not be written in a file",
            "name its source: {env: NAME} or {file: PATH}")
    }

    /// Mistakes in the Workspace document.
    static let workspaces: [Mistake] = [
        .init(
            "", "policy: {maxAudience: 100k}\n",
            "13:23 wrong-type: 'maxAudience' must be an integer, but found a string", "write 100000"),
        .init(
            "", "policy:\n  maxAudience: 100,000\n",
            "14:16 wrong-type: 'maxAudience' must be an integer, but found a string", "write 100000"),
        .init(
            "", "policy:\n  maxAudience: 1e5\n",
            "14:16 wrong-type: 'maxAudience' must be an integer, but found a number", "write 100000"),
        .init(
            "", "policy:\n  maxAudience: 10万\n",
            "14:16 wrong-type: 'maxAudience' must be an integer, but found a string", "write 100000"),
        .init(
            "type: leancloud", "type: LeanCloud",
            "6:11 invalid-value: 'type' must be leancloud, direct or apns, but found 'LeanCloud'; did you mean 'leancloud'?"
        ),
        .init(
            "type: leancloud", "type: firebase",
            "6:11 invalid-value: 'type' must be leancloud, direct or apns, but found 'firebase'"),
        plain("abcdefghijklmn"),
        plain("$BUGLE_SERVER_KEY"),
        plain("${{ secrets.KEY }}"),
        plain("${KEY}"),
        .init(
            "{env: BUGLE_SERVER_KEY}", "{env: my-key}",
            "9:22 plain-secret: 'masterKey' must name an environment variable",
            "write {env: NAME} with a name of letters, digits and '_'"),
        .init(
            "{env: BUGLE_SERVER_KEY}", "{env: $KEY}",
            "9:22 plain-secret: 'masterKey' must name an environment variable",
            "write {env: NAME} with a name of letters, digits and '_'"),
        .init(
            "defaultRemote: local", "defaultRemote: locla",
            "3:16 unknown-reference: remote 'locla' is not declared; did you mean 'local'?",
            "'remotes' declares local, apple"),
        .init("defaultRemote: local\n", "", "3:1 missing-key: missing key 'defaultRemote': there are 2 remotes"),
        .init(
            "  local:\n    type", "  - name: local\n    type",
            "10:3 yaml-syntax: this line does not belong to the list above it",
            "begin it with '- ', or indent it under the entry it belongs to"),
        .init(
            "appId", "appID", "5:3 missing-key: missing key 'appId'",
            "8:5 unknown-key: unknown key 'appID'; did you mean 'appId'?"),
        .init("    url: http://127.0.0.1:8710\n", "", "5:3 missing-key: missing key 'url'"),
        .init(
            "masterKey", "masterkey", "5:3 missing-key: missing key 'masterKey'",
            "9:5 unknown-key: unknown key 'masterkey'; did you mean 'masterKey'?"),
        .init(
            "masterKey", "appKey", "5:3 missing-key: missing key 'masterKey'", "9:5 unknown-key: unknown key 'appKey'"),
        .init(
            "", "policy:\n  quietHours: 22:00-08:00\n",
            "14:15 wrong-type: 'quietHours' must be a mapping, but found a string", "its fields are from, to, timeZone"),
        .init(
            "", "policy:\n  quietHours: {from: \"22:00\", to: \"8:00\", timeZone: Asia/Shanghai}\n",
            "14:35 invalid-value: 'to' must be a time of day such as 22:00, but found '8:00'; did you mean '08:00'?"),
        .init(
            "", "policy:\n  quietHours: {start: \"22:00\", end: \"08:00\", timeZone: Asia/Shanghai}\n",
            "14:16 unknown-key: unknown key 'start'; did you mean 'from'?",
            "14:32 unknown-key: unknown key 'end'; did you mean 'to'?"),
        .init(
            "", "policy:\n  quietHours: {from: \"22:00\", to: \"24:00\", timeZone: Asia/Shanghai}\n",
            "14:35 invalid-value: 'to' must be a time of day such as 22:00, but found '24:00'",
            #"write "00:00" of the next day"#),
        .init(
            "", "policy: {allowEveryone: yes}\n",
            "13:25 wrong-type: 'allowEveryone' must be true or false, but found a string",
            "a boolean is written true or false, without quotes"),
        .init(
            "", "policy: {minimumGap: 2}\n",
            "13:22 wrong-type: 'minimumGap' must be a duration such as 90s, 15m, 36h, 7d or 2w, but found an integer",
            "add the unit: 2s, 2m, 2h or 2d"),
        .init(
            "", "policy: {certificateExpiryWarning: 30}\n",
            "13:36 wrong-type: 'certificateExpiryWarning' must be a duration such as 90s, 15m, 36h, 7d or 2w, but found an integer",
            "add the unit: 30s, 30m, 30h or 30d"),
    ]
}

extension MistakeTableTests {
    /// Files that are no document of the workspace, or one with a mistake.
    static let files: [Mistake] = [
        .init(
            "", "kind: DeviceProfile\nname: d\nenvironment: production\ntopic: com.example.d\np12: d.p12\n",
            "5:1 unknown-key: unknown key 'p12'; did you mean 'certificate'?"),
        .init(
            "",
            "kind: DeviceProfile\nname: d\nenvironment: production\nbundleId: com.example.d\ncertificate: {file: d.p12}\n",
            "4:1 unknown-key: unknown key 'bundleId'; did you mean 'topic'?"),
        .init(
            "", "kind: DeviceProfile\nname: d\nenvironment: production\ntopic: My App\ncertificate: {file: d.p12}\n",
            "4:8 invalid-name: 'My App' is not a valid bundle id",
            "use letters, digits and '-' in parts that '.' joins, such as com.example.app"),
        .init(
            "", "kind: DeviceProfile\nname: d\nenvironment: prod\ntopic: com.example.d\ncertificate: {file: d.p12}\n",
            "3:14 invalid-value: 'environment' must be production or development, but found 'prod'; did you mean 'production'?"
        ),
        .init(
            "",
            "kind: DeviceProfile\nname: d\nenvironment: production\ntopic: com.example.d\ntoken: {file: AuthKey.p8, keyId: abc, teamId: DEF}\n",
            "5:1 missing-key: missing key 'key'", "5:9 unknown-key: unknown key 'file'; it belongs in 'certificate'",
            "5:34 invalid-name: 'abc' is not a valid id of a team or key", "use 10 upper-case letters and digits",
            "5:47 invalid-name: 'DEF' is not a valid id of a team or key", "use 10 upper-case letters and digits"),
        .init(
            "",
            "kind: DeviceProfile\nname: d\nenvironment: production\ntopic: com.example.d\ntoken: {key: AuthKey.p8, keyID: ABCDEFGHIJ, teamID: ABCDEFGHIJ}\n",
            "5:14 plain-secret: 'key' is a secret and must not be written in a file",
            "name its source: {env: NAME} or {file: PATH}",
            "5:26 unknown-key: unknown key 'keyID'; did you mean 'keyId'?",
            "5:45 unknown-key: unknown key 'teamID'; did you mean 'teamId'?"),
        .init(
            "", "kind: DeviceProfile\nname: d\nenvironment: production\ntopic: com.example.d\n",
            "1:1 missing-key: one of 'certificate' and 'token' is needed"),
        .init(
            "", "kind: Channel\nname: my channel\n", "2:7 invalid-name: 'my channel' is not a valid name of a channel",
            "use 1 to 64 ASCII letters, digits, '_', '-', '=' and CJK ideographs"),
        .init(
            "", "kind: Segment\nname: s\nwhere: age > 18\n",
            "3:8 wrong-type: 'where' must be a mapping, but found a string",
            "compare fields with values, for example {age: {$gte: 18}}"),
        .init("", "- kind: Channel\n  name: A\n", "1:1 wrong-type: 'document' must be a mapping, but found a sequence"),
        .init("", "hello\n", "1:1 wrong-type: 'document' must be a mapping, but found a string"),
        .init(
            "", "```yaml\nkind: Channel\nname: A\n```\n", "1:1 yaml-syntax: this line is Markdown, not YAML",
            "delete the lines that begin with ```"),
    ]
}
