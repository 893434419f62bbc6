import Base
import DeviceRegistry
import Foundation
import Push
import PushServer
import Testing

/// The file of settings.
@Suite struct SettingsFileTests {
    private static func read(_ text: String) -> SettingsFile {
        SettingsFile(Array(text.utf8), file: "etc/server.yaml")
    }

    /// A file with every setting, none as it is by default.
    private static let everything = """
        listen: 0.0.0.0:8443
        data: registry.sqlite
        appId: giants
        keys:
          master: {file: /run/keys/master}
          app: {env: APP_KEY}
          viewer: {env: VIEWER_KEY}
        mode: push
        upstream: https://backend.example.com:8443/
        upstreamTimeout: 9s
        pushesPerMinute: 60
        clientsMayPush: true
        mostScheduledPushes: 5
        androidIsValid: false
        keepStaleDevices: true
        indexedFields: [city, level]
        allowFaults: true
        seedDevices: 10
        workspace: campaigns
        apple:
          production: 127.0.0.1:2197
          development: https://sandbox.example.com/
          ca: ca.pem
        fcm: {host: fcm.example.com, token: fcmtoken.example.com}
        huawei: {host: huawei.example.com, token: huaweitoken.example.com}
        harmony: {host: harmony.example.com}
        honor: {host: honor.example.com, token: honortoken.example.com}
        xiaomi: {host: xiaomi.example.com}
        oppo: {host: oppo.example.com}
        vivo: {host: vivo.example.com}
        tls:
          certificate: cert.pem
          key: /etc/key.pem
        trustedProxies: [127.0.0.1, "::1"]
        notify: {to: feishu, address: {env: HOOK}, secret: {file: sign}, language: zh-Hans}
        metrics:
          token: {env: METRICS_TOKEN}
        signatureAge: 5m
        bodyLimit: 2MB
        requestTimeout: 10s
        openingTimeout: 2s
        idleTimeout: 2m
        gracePeriod: 1m
        drainDelay: 5s
        maxConnections: 50
        maxConnectionsPerAddress: 9
        largeBodies: 2
        logLevel: warning
        logFormat: json
        logAddresses: false
        """

    @Test func theRegistryIsAFileOrADatabaseWhoseAddressStandsElsewhere() throws {
        #expect(Self.read("data: /var/lib/a.sqlite").settings.data == .file("/var/lib/a.sqlite"))
        let secret = DataPlace.secret(.environment("DATABASE_URL"))
        #expect(Self.read("data: {env: DATABASE_URL}").settings.data == secret)
        #expect(Self.read("data: {file: url}").settings.data == .secret(.file("etc/url")))
        guard case .database? = Self.read("data: postgres://bugle@db.example.com/app").settings.data else {
            Issue.record("an address without a password may stand in the file")
            return
        }
        let url = "postgresql://bugle:hunter2@a.example.com,b.example.com/app?sslmode=verify-full"
        guard case .database(let address) = try secret.resolved(in: ["DATABASE_URL": url]) else {
            Issue.record("the variable holds an address")
            return
        }
        #expect(address.servers == ["a.example.com:5432", "b.example.com:5432"])
        #expect(!"\(address)".contains("hunter2"))
    }

    @Test(arguments: [nil, "", "registry.sqlite", "host=db password=hunter2", "postgres://db/app?hunter2=1"])
    func whatIsNoAddressIsRefusedWithoutRepeatingIt(value: String?) {
        let error = #expect(throws: SettingError.self) {
            try DataPlace.secret(.environment("DATABASE_URL")).resolved(in: value.map { ["DATABASE_URL": $0] } ?? [:])
        }
        #expect(error?.message.contains("hunter2") == false)
    }

    @Test func everySettingCanStandInTheFile() {
        let file = Self.read(Self.everything)
        #expect(file.diagnostics.isEmpty)
        var expected = ServerSettings()
        expected.listen = ListenAddress(host: "0.0.0.0", port: 8443)
        expected.data = .file("etc/registry.sqlite")
        expected.applicationID = "giants"
        expected.masterKey = .file("/run/keys/master")
        expected.applicationKey = .environment("APP_KEY")
        expected.viewerKey = .environment("VIEWER_KEY")
        expected.mode = .push
        expected.upstream = "https://backend.example.com:8443"
        expected.upstreamTimeout = .seconds(9)
        expected.pushesPerMinute = 60
        expected.clientsMayPush = true
        expected.mostScheduledPushes = 5
        expected.androidIsValid = false
        expected.keepsStaleDevices = true
        expected.indexedFields = ["city", "level"]
        expected.allowsFaults = true
        expected.seedDevices = 10
        expected.workspace = "etc/campaigns"
        expected.hosts = ["production": "127.0.0.1:2197", "development": "sandbox.example.com"]
        for host in ServiceHost.allCases { expected.hosts[host.rawValue] = "\(host.rawValue.lowercased()).example.com" }
        expected.appleCAFile = "etc/ca.pem"
        expected.tlsCertificate = "etc/cert.pem"
        expected.tlsKey = "/etc/key.pem"
        expected.trustedProxies = ["127.0.0.1", "::1"]
        (expected.notifyTo, expected.notifyLanguage) = (.feishu, .chinese)
        (expected.notifyAddress, expected.notifySecret) = (.environment("HOOK"), .file("etc/sign"))
        expected.metricsToken = .environment("METRICS_TOKEN")
        expected.limits.signatureAge = .seconds(300)
        expected.limits.bodyLimit = 2 * 1024 * 1024
        expected.limits.requestTimeout = .seconds(10)
        expected.limits.openingTimeout = .seconds(2)
        expected.limits.idleTimeout = .seconds(120)
        expected.limits.gracePeriod = .seconds(60)
        expected.limits.drainDelay = .seconds(5)
        expected.limits.maxConnections = 50
        expected.limits.connectionShare = .most(9)
        expected.limits.largeBodies = 2
        expected.logLevel = .warning
        expected.logFormat = .json
        expected.logsAddresses = false
        #expect(file.settings == expected)
        #expect(Set(file.ranges.keys) == Set(Setting.allCases))
        // A server sends no broadcasts.
        let inRemotes = Set(MapDescription.hosts.fields.map(\.name)).subtracting(["broadcast", "channels"])
        #expect(Set(expected.hosts.keys) == inRemotes)
    }

    @Test(arguments: [
        ("lisen: 127.0.0.1:1", 1, 1, DiagnosticCode.unknownKey, "did you mean 'listen'?"),
        ("appId: a\ntls: {certifcate: x}", 2, 7, .unknownKey, "did you mean 'certificate'?"),
        ("keys: {masters: {env: A}}", 1, 8, .unknownKey, "did you mean 'master'?"),
        ("keys:\n  master: hunter2", 2, 11, .plainSecret, "must not be written in a file"),
        ("keys: {master: [hunter2]}", 1, 16, .plainSecret, "must not be written in a file"),
        ("keys: {master: {env: hunter2-and-more}}", 1, 22, .plainSecret, "must name an environment variable"),
        ("keys: {master: {env: A, file: b}}", 1, 31, .conflictingKeys, "exclude each other"),
        ("keys: {master: {}}", 1, 16, .missingKey, "is needed"),
        ("keys: {master: {evn: A}}", 1, 17, .unknownKey, "did you mean 'env'?"),
        ("metrics: {token: hunter2}", 1, 18, .plainSecret, "must not be written in a file"),
        ("keys: hunter2", 1, 7, .wrongType, "must be a mapping"), ("- a", 1, 1, .wrongType, "must be a mapping"),
        ("data: postgres://u:hunter2@db.example.com/app", 1, 7, .plainSecret, "must not be written in a file"),
        ("data: postgres://db/app?password=hunter2", 1, 7, .plainSecret, "must not be written in a file"),
        ("data: mysql://db/app", 1, 7, .invalidValue, "takes the path of a file, or postgres://"),
        ("data: postgres://db/app?sslmode=prefer", 1, 7, .invalidValue, "may fall back to no encryption"),
        ("data: {evn: A}", 1, 8, .unknownKey, "did you mean 'env'?"),
        ("listen: 8710", 1, 9, .invalidValue, "takes HOST:PORT"), ("listen:", 1, 8, .wrongType, "must be one value"),
        ("listen: [a]", 1, 9, .wrongType, "must be one value"), ("listen: ::1:80", 1, 9, .invalidValue, "HOST:PORT"),
        ("mode: users", 1, 7, .invalidValue, "takes push, classes"),
        ("upstream: backend.example.com", 1, 11, .invalidValue, "takes https://HOST"),
        ("upstream: http://backend.example.com", 1, 11, .invalidValue, "an address of this machine"),
        ("upstream: https://backend.example.com/api", 1, 11, .invalidValue, "takes https://HOST"),
        ("upstream: https://u:p@backend.example.com", 1, 11, .invalidValue, "takes https://HOST"),
        ("pushesPerMinute: 0", 1, 18, .invalidValue, "from 1 to"),
        ("pushesPerMinute: 1.5", 1, 18, .invalidValue, "whole"),
        ("allowFaults: yes", 1, 14, .invalidValue, "true or false"), ("bodyLimit: 20GB", 1, 12, .invalidValue, "20MB"),
        ("bodyLimit: 0", 1, 12, .invalidValue, "20MB"), ("requestTimeout: 10", 1, 17, .invalidValue, "30s"),
        ("requestTimeout: 0s", 1, 17, .invalidValue, "30s"), ("signatureAge: never", 1, 15, .invalidValue, "or off"),
        ("trustedProxies: [proxy.example]", 1, 17, .invalidValue, "no names"),
        ("trustedProxies: [10.0.0.1/8]", 1, 17, .invalidValue, "no bit set after the prefix"),
        ("trustedProxies: [0.0.0.0/0]", 1, 17, .invalidValue, "networks such as"),
        ("trustedProxies: ['::1/129']", 1, 17, .invalidValue, "networks such as"),
        ("maxConnectionsPerAddress: none", 1, 27, .invalidValue, "or off"),
        ("clientsMayPush: 1", 1, 17, .invalidValue, "true or false"),
        ("androidIsValid: no", 1, 17, .invalidValue, "true or false"),
        ("keepStaleDevices: [true]", 1, 19, .wrongType, "must be one value"),
        ("mostScheduledPushes: 0", 1, 22, .invalidValue, "from 1 to"),
        ("indexedFields: [city, a.b]", 1, 16, .invalidValue, "which 'a.b' is not"),
        ("indexedFields: 'city,'", 1, 16, .invalidValue, "which '' is not"),
        ("indexedFields: ['k\") --']", 1, 16, .invalidValue, "names of fields"),
        ("indexedFields: [city, [level]]", 1, 23, .wrongType, "a list of texts"),
        ("indexedFields: {city: true}", 1, 16, .wrongType, "must be a list"),
        (
            "indexedFields: [\((0..<17).map { "f\($0)" }.joined(separator: ","))]", 1, 16, .invalidValue,
            "16 fields at most"
        ),
        ("apple: {production: 'http://127.0.0.1:80'}", 1, 21, .invalidValue, "takes HOST or HOST:PORT"),
        ("apple: {development: a b}", 1, 22, .invalidValue, "takes HOST or HOST:PORT"),
        ("apple: {producton: a}", 1, 9, .unknownKey, "did you mean 'production'?"),
        ("logFormat: xml", 1, 12, .invalidValue, "text, json"), ("appId: 'a b'", 1, 8, .invalidValue, "without spaces"),
        ("listen: a:1\nlisten: a:2", 2, 1, .duplicateKey, "listen"), ("listen: 'a", 1, 9, .yamlSyntax, ""),
        ("---\nappId: a\n---\nappId: b", 4, 1, .invalidValue, "one document"), ("appId: \u{1}", 1, 8, .encoding, ""),
    ])
    func whatIsWrongIsNamedWithItsPlaceAndNeverRepeatedIfItMayBeAKey(
        text: String, line: Int, column: Int, code: DiagnosticCode, words: String
    ) throws {
        let file = Self.read(text)
        let first = try #require(file.diagnostics.first, "nothing was reported")
        #expect(first.code == code)
        #expect(
            words.isEmpty || first.message.contains(words) || first.help?.contains(words) == true, "\(first.message)")
        let place = try #require(first.range)
        #expect(place.start == SourcePosition(line: line, column: column))
        #expect(place.file == "etc/server.yaml")
        #expect(!"\(file.diagnostics)".contains("hunter2"))
    }

    @Test func fieldsCanBeNoneAreCountedOnceAndMayStandInOneLine() {
        for (text, fields) in [
            ("[]", []), ("city", ["city"]), ("'city, level'", ["city", "level"]),
            ("[\(Array(repeating: "city", count: 20).joined(separator: ","))]", ["city"]),
        ] as [(String, [String])] {
            let file = Self.read("indexedFields: " + text)
            #expect(file.diagnostics.isEmpty)
            #expect(file.settings.indexedFields == fields)
        }
    }

    @Test func everySettingHasAValueOfItsOwn() {
        let (settings, plain) = (Self.read(Self.everything).settings, ServerSettings())
        // What no setting sets.
        let waits: Set<String> = [
            "largeBodyPatience", "strangerPatience", "bodySpeedInterval", "pushPatience", "countInterval",
        ]
        for (set, unset) in [
            (Mirror(reflecting: settings), Mirror(reflecting: plain)),
            (Mirror(reflecting: settings.limits), Mirror(reflecting: plain.limits)),
        ] {
            for (one, other) in zip(set.children, unset.children) where !waits.contains(one.label ?? "") {
                #expect("\(one.value)" != "\(other.value)", "\(one.label ?? "")")
            }
        }
    }

    @Test func anEmptyFileSetsNothing() {
        for text in ["", "# nothing", "---\n", "{}"] {
            let file = Self.read(text)
            #expect(file.diagnostics.isEmpty)
            #expect(file.settings == ServerSettings())
        }
    }

    @Test func everySettingHasAnOptionAndAVariableOfItsOwn() {
        #expect(Setting.pushesPerMinute.option == "--pushes-per-minute")
        #expect(Setting.tlsKey.option == "--tls-key")
        #expect(Setting.tlsKey.variable == "BUGLE_SERVER_TLS_KEY")
        #expect(Setting.appId.variable == "BUGLE_SERVER_APP_ID")
        #expect(Setting.metricsToken.variable == "BUGLE_SERVER_METRICS_TOKEN")
        #expect(Set(Setting.allCases.map(\.variable)).count == Setting.allCases.count)
    }

    @Test(
        arguments: [
            ("key\n", "key"), ("key", "key"), ("key\r\n", "key"), ("", nil), ("\n", nil), ("two words", nil),
            ("a,b", nil),
            ("key\n\n", nil), ("k\u{E9}y", nil),
        ] as [(String, String?)])
    func aKeyIsAFileOfOneWord(text: String, key: String?) async throws {
        try await inFolder { (folder) async throws in
            let file = folder.appending(path: "key")
            try #require(FileManager.default.createFile(atPath: file.path, contents: Data(text.utf8)))
            let read = try? SecretSource.file(file.path).read(in: [:])
            #expect((read == nil) == (key == nil))
            if let read, let key { #expect(read.isSame(as: ServerKey(key))) }
        }
    }
}
