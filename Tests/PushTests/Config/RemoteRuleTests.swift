import Base
import Push
import Testing

/// What a remote may be; each text is the value of `r` in line 3, which begins at column 14.
@Suite struct RemoteRuleTests {
    static func workspace(_ remote: String) -> String {
        "kind: Workspace\nname: giants\nremotes: {r: \(remote)}\n"
    }

    static func leancloud(_ more: String) -> String {
        workspace("{type: leancloud, masterKey: {env: KEY}, " + more + "}")
    }

    static let broken: [Rule] = [
        Rule("{}", "3:11: error: missing key 'type' [missing-key]"),
        Rule("leancloud", "3:14: error: 'r' must be a mapping, but found a string [wrong-type]"),
        Rule(
            "{type: lean}",
            "3:21: error: 'type' must be leancloud, direct or apns, but found 'lean'; "
                + "did you mean 'leancloud'? [invalid-value]"
        ),
        Rule(
            "{type: leancloud}", "3:11: error: missing key 'appId' [missing-key]",
            "3:11: error: missing key 'masterKey' [missing-key]", "3:11: error: missing key 'url' [missing-key]"),
        Rule("{type: apns}", "3:11: error: missing key 'registry' [missing-key]"),
        Rule(
            "{type: apns, registry: {sqlite: a}, url: https://a.b}",
            "3:50: error: 'url' is for remotes of type leancloud [conflicting-keys]"),
        Rule("{type: apns, registry: {}}", "3:27: error: one of 'sqlite' and 'postgres' is needed [missing-key]"),
        Rule(
            "{type: apns, registry: {sqlite: a, postgres: {env: DB}}}",
            "3:49: error: 'sqlite' and 'postgres' exclude each other [conflicting-keys]"),
        Rule(
            "{type: apns, registry: {postgres: 'postgres://u:p@h/d'}}",
            "3:48: error: 'postgres' is a secret and must not be written in a file [plain-secret]"),
        Rule(
            "{type: apns, registry: {sqlite: a}, hosts: {prod: 'https://a'}}",
            "3:58: error: unknown key 'prod' [unknown-key]"),
        Rule(
            "{type: apns, registry: {sqlite: a}, hosts: {production: 'http://example.com'}}",
            "3:70: error: 'production' may be http only for 127.0.0.0/8, [::1] and localhost; use https "
                + "[invalid-value]"),
        Rule(
            "{type: apns, registry: {sqlite: a}, hosts: {production: 'http://127.0.0.1:1'}}",
            "3:70: error: 'production' must be https: Apple's protocol always uses TLS [invalid-value]"),
        Rule(
            "{type: apns, registry: {sqlite: a}, hosts: {channels: 'u:p@h'}}",
            "3:68: error: 'channels' must have no user and no password [invalid-value]"),
        Rule(
            "{type: apns, registry: {sqlite: a}, hosts: {broadcast: 'https://h:1/4'}}",
            "3:69: error: 'broadcast' must be a host with an optional port and no path [invalid-value]"),
        Rule(
            "{type: apns, registry: {sqlite: a}, hosts: {development: 'h?q'}}",
            "3:71: error: 'development' must have no query and no fragment [invalid-value]"),
        Rule(
            "{type: apns, registry: {sqlite: a}, timeout: 61s}",
            "3:59: error: 'timeout' must be at most 60s [invalid-value]"),
        Rule(
            "{type: apns, registry: {sqlite: a}, timeout: 0s}",
            "3:59: error: 'timeout' must be at least 1s [invalid-value]"),
        Rule("{type: apns, registry: {sqlite: a}, ca: ''}", "3:54: error: 'ca' must not be empty [invalid-value]"),
    ]

    @Test(arguments: broken)
    func aBrokenRemoteIsSaid(_ rule: Rule) async {
        #expect(await SampleFiles.lines(workspace: Self.workspace(rule.text)) == rule.lines)
    }

    static let valid: [String] = [
        "{type: apns, registry: {sqlite: a}, timeout: 60s, ca: /etc/ca.pem}",
        "{type: apns, registry: {postgres: {env: DATABASE_URL}}, hosts: {production: 'localhost:8443'}}",
        "{type: apns, registry: {sqlite: a}, hosts: {development: 'HTTPS://127.0.0.1:1/', broadcast: 'https://[::1]:2'}}",
    ]

    @Test(arguments: valid)
    func aValidRemoteIsAccepted(_ text: String) async {
        #expect(await SampleFiles.lines(workspace: Self.workspace(text)) == [])
    }

    @Test(arguments: ["Local", "a_b", "a123456789012345678901234567890123"])
    func aNameKeepsToItsRule(_ name: String) async {
        let text = "kind: Workspace\nname: giants\nremotes: {\(name): {type: apns, registry: {sqlite: a}}}\n"
        #expect(
            await SampleFiles.lines(workspace: text) == [
                "3:11: error: '\(name)' is not a valid name of a remote [invalid-name]"
            ])
    }

    static let validAddresses: [String] = [
        "https://push.example.com", "https://push.example.com/base/", "HTTPS://EXAMPLE.com:443", "http://127.9.9.9:80",
        "http://localhost:8710", "http://[::1]:8710", "https://a", "{env: PUSH_URL}",
    ]

    @Test(arguments: validAddresses)
    func anAddressIsAccepted(_ url: String) async {
        let value = url.hasPrefix("{") ? url : "'\(url)'"
        #expect(await SampleFiles.lines(workspace: Self.leancloud("appId: a, url: \(value)")) == [])
    }

    static let brokenAddresses: [(url: String, reason: String)] = [
        ("http://push.example.com", "may be http only for 127.0.0.0/8, [::1] and localhost; use https"),
        ("https://push.example.com/1.1", "must end before the version: leave '/1.1' out"),
        ("https://push.example.com/1.1/", "must end before the version: leave '/1.1' out"),
        ("http://128.0.0.1", "may be http only for 127.0.0.0/8, [::1] and localhost; use https"),
        ("http://127.0.0.1.example.com", "may be http only for 127.0.0.0/8, [::1] and localhost; use https"),
        ("http://127.0.0.256", "may be http only for 127.0.0.0/8, [::1] and localhost; use https"),
        ("http://[::2]", "may be http only for 127.0.0.0/8, [::1] and localhost; use https"),
        ("ftp://a.b", "must begin with https:// (or http:// for this machine)"),
        ("push.example.com", "must begin with https:// (or http:// for this machine)"),
        ("https:/a.b", "must begin with https:// (or http:// for this machine)"),
        ("https://", "must have a valid host, and a port from 1 to 65535 if any"),
        ("https://a..b", "must have a valid host, and a port from 1 to 65535 if any"),
        ("https://a:0", "must have a valid host, and a port from 1 to 65535 if any"),
        ("https://a:65536", "must have a valid host, and a port from 1 to 65535 if any"),
        ("https://a:+1", "must have a valid host, and a port from 1 to 65535 if any"),
        ("https://[::1", "must have a valid host, and a port from 1 to 65535 if any"),
        ("https://u:p@a.b", "must have no user and no password"),
        ("http://127.0.0.1@evil.com", "must have no user and no password"),
        ("https://a.b/?c", "must have no query and no fragment"),
        ("https://a.b#c", "must have no query and no fragment"),
        ("https://a b", "must be an address without spaces or non-ASCII characters"),
        ("https://a\\b", "must be an address without spaces or non-ASCII characters"),
    ]

    @Test(arguments: brokenAddresses)
    func anAddressIsRefused(_ url: String, _ reason: String) async {
        #expect(
            await SampleFiles.lines(workspace: Self.leancloud("appId: a, url: '\(url)'")) == [
                "3:70: error: 'url' \(reason) [invalid-value]"
            ])
    }

    static let brokenSecrets: [Rule] = [
        Rule("plain", "3:71: error: 'masterKey' is a secret and must not be written in a file [plain-secret]"),
        Rule("12345", "3:71: error: 'masterKey' is a secret and must not be written in a file [plain-secret]"),
        Rule("true", "3:71: error: 'masterKey' is a secret and must not be written in a file [plain-secret]"),
        Rule(
            "~",
            "3:71: error: 'masterKey' must be {env: NAME} or {file: PATH}, but found null [wrong-type]"),
        Rule(
            "[a]",
            "3:71: error: 'masterKey' is a secret and must not be written in a file [plain-secret]"),
        Rule("{}", "3:60: error: one of 'env' and 'file' is needed [missing-key]"),
        Rule("{env: A, file: b}", "3:80: error: 'env' and 'file' exclude each other [conflicting-keys]"),
        Rule("{env: 1A}", "3:77: error: 'masterKey' must name an environment variable [plain-secret]"),
        Rule(
            "{enV: A}",
            "3:72: error: unknown key 'enV'; did you mean 'env'? [unknown-key]"),
        Rule(
            "{file: /etc/key}",
            "3:78: error: 'file' must be a path relative to the workspace [file-outside]"),
        Rule("{file: ../key}", "3:78: error: 'file' leads out of the workspace [file-outside]"),
        Rule("{file: a/../../key}", "3:78: error: 'file' leads out of the workspace [file-outside]"),
        Rule("{file: ''}", "3:78: error: 'file' must not be empty [file-outside]"),
        Rule(
            "{file: {evn: A}}",
            "3:79: error: unknown key 'evn'; did you mean 'env'? [unknown-key]"),
        Rule("{file: 7}", "3:78: error: 'file' must be a path or {env: NAME}, but found an integer [wrong-type]"),
    ]

    @Test(arguments: brokenSecrets)
    func aBrokenSecretIsSaid(_ rule: Rule) async {
        let text = Self.workspace("{type: leancloud, appId: a, url: 'https://a', masterKey: \(rule.text)}")
        #expect(await SampleFiles.lines(workspace: text) == rule.lines)
    }

    static let validSecrets: [String] = [
        "{env: KEY}", "{file: keys/master}", "{file: ./a/../key}", "{file: {env: KEY_FILE}}",
    ]

    @Test(arguments: validSecrets)
    func aSecretIsAccepted(_ text: String) async {
        let text = Self.workspace("{type: leancloud, appId: a, url: 'https://a', masterKey: \(text)}")
        #expect(await SampleFiles.lines(workspace: text) == [])
    }

    @Test(arguments: [
        ("url: {env: KEY}, appId: a", "3:60: error: 'url' refers to 'KEY', which holds a secret of this workspace"),
        (
            "url: 'https://a', appId: {env: KEY}",
            "3:80: error: 'appId' refers to 'KEY', which holds a secret of this workspace"
        ),
        (
            "url: 'https://a', appId: {env: PASS}",
            "3:80: error: 'appId' refers to 'PASS', which holds a secret of this workspace"
        ),
        (
            "url: 'https://a', appId: {env: P12}",
            "3:80: error: 'appId' refers to 'P12', which holds a secret of this workspace"
        ),
    ])
    func aReferenceMayNotNameASecret(_ fields: String, _ line: String) async {
        let profile =
            "---\nkind: DeviceProfile\nname: a\nenvironment: production\ntopic: a.b\n"
            + "certificate: {env: P12, passphrase: {env: PASS}}\n"
        #expect(
            await SampleFiles.lines(workspace: Self.leancloud(fields) + profile) == [line + " [secret-reference]"])
    }

    @Test func aFileOutsideThroughALinkIsRefused() async {
        let outside = TemporaryFolder()
        outside.write("key", "k")
        let folder = TemporaryFolder()
        folder.write("inside/key", "k")
        folder.link("out", to: outside.path)
        folder.link("in", to: "inside")
        folder.link("nowhere", to: outside.path + "/nothing")
        func lines(_ path: String) async -> [String] {
            folder.write(
                "bugle.yaml",
                Self.workspace("{type: leancloud, appId: a, url: 'https://a', masterKey: {file: \(path)}}"))
            return await folder.load().diagnostics.filter { $0.code == .fileOutside }.map(SampleFiles.line)
        }
        let error = "3:78: error: 'file' leads out of the workspace through a link [file-outside]"
        #expect(await lines("out/key") == [error])
        #expect(await lines("out/nothing") == [error])
        #expect(await lines("nowhere") == [error])
        #expect(await lines("in/key") == [])
        #expect(await lines("in/nothing") == [])
    }
}
