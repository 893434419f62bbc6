internal import Base
internal import Push
internal import Testing

@Suite struct PlanJSONTests {
    @Test func theMembersStandInTheOrderOfTheContract() {
        let text = String(decoding: PlanFixtures.empty.savedBytes(), as: UTF8.self)
        let digest = Digest(of: Array(text.utf8.dropLast(",\n  \"integrity\": \"\"\n}\n".utf8.count + 71)))
        #expect(
            text == """
                {
                  "formatVersion": "1.1",
                  "tool": "bugle 0.1.0",
                  "desired": "\(Digest(of: []))",
                  "lastApplied": null,
                  "workspace": "giants",
                  "remote": "production",
                  "remoteType": "leancloud",
                  "remoteTitle": "LeanCloud · push.example.com",
                  "remoteFingerprint": "\(PlanFixtures.remote.fingerprint)",
                  "createdAt": "2026-11-20T12:00:00Z",
                  "expiresAt": "2026-11-21T12:00:00Z",
                  "changes": [],
                  "diagnostics": [],
                  "summary": {
                    "create": 0,
                    "update": 0,
                    "delete": 0,
                    "send": 0,
                    "schedule": 0,
                    "reschedule": 0,
                    "cancel": 0,
                    "resume": 0,
                    "wait": 0,
                    "missed": 0,
                    "none": 0,
                    "blocked": 0,
                    "devices": 0
                  },
                  "verdict": {
                    "code": "noChanges"
                  },
                  "integrity": "\(digest)"
                }

                """)
    }

    @Test func aChangeHasEveryMemberOfTheContract() throws {
        let changes = try #require(PlanFixtures.plan().json["changes"]?.array)
        let send = try #require(changes.first { $0["action"] == "send" })
        #expect(
            Set(try #require(send.object).keys) == [
                "kind", "name", "action", "reason", "reasonCode", "file", "line", "delivery", "audience", "payload",
                "before", "after", "request", "preview", "blocked",
            ])
        #expect(
            send["delivery"] == [
                "id": .string(PlanFixtures.delivery("giants-score").id.text), "generation": 0, "revision": 1,
                "occurrence": "once", "at": nil, "expiresAt": "2026-11-27T12:00:00Z", "expires": "after 7d",
                "expiresCode": "expiresAfter", "expiresValues": [["duration": "7d"]],
            ])
        #expect(send["request"]?["endpoint"] == "push")
        let blocked = try #require(changes.first { $0["name"] == "everybody" })
        #expect(blocked["blocked"] == [["rule": "allowEveryone", "message": "plain"]])
        #expect(blocked["delivery"]?["at"] == "2026-11-20T20:00:01.500+08:00")
    }

    @Test(arguments: [
        PlanFixtures.empty, PlanFixtures.plan(), PlanFixtures.plan(isSimulated: true),
        PlanFixtures.plan(text: PlanFixtures.hostile), PlanFixtures.plan(text: ""), PlanFixtures.reviewed(),
        PlanFixtures.reviewed(text: PlanFixtures.hostile),
    ])
    func aPlanIsReadAsItWasWritten(_ plan: Plan) throws {
        #expect(try Plan.read(saved: plan.savedBytes()) == plan)
        #expect(try JSONValue(parsing: plan.savedBytes()) == plan.json)
    }

    @Test func aPlanBearsTheLanguageOfItsWorkspace() throws {
        var plan = PlanFixtures.plan()
        #expect(plan.json["language"] == nil)
        plan.language = .chinese
        #expect(plan.json["language"] == "zh-Hans")
        #expect(try Plan.read(saved: plan.savedBytes()) == plan)
    }

    @Test func aPlanBearsTheAppOfItsWorkspace() throws {
        var plan = PlanFixtures.plan()
        #expect(plan.json["app"] == nil && plan.shownApp == ShownApp(name: plan.workspace))
        for app in [ShownApp(name: "Giants"), ShownApp(name: "巨人", icon: "iVBORw0KGgo=")] {
            plan.app = app
            #expect(try Plan.read(saved: plan.savedBytes()) == plan)
        }
        #expect(plan.json["app"] == ["name": "巨人", "icon": "iVBORw0KGgo="])
    }

    @Test func onlyASimulatedPlanSaysSo() {
        #expect(PlanFixtures.plan().json["simulated"] == nil)
        #expect(PlanFixtures.plan(isSimulated: true).json["simulated"] == true)
    }

    @Test func equalPlansAreTheSameBytesInWhateverOrderTheirChangesCame() {
        let plan = PlanFixtures.plan()
        let other = Plan(
            workspace: plan.workspace, remote: plan.remote, desired: plan.desired, lastApplied: plan.lastApplied,
            createdAt: plan.createdAt, changes: plan.changes.reversed(), diagnostics: plan.diagnostics.reversed())
        #expect(plan.savedBytes() == other.savedBytes())
    }

    @Test func everythingThatAReaderDoesNotSeeIsEscaped() {
        let text = String(decoding: PlanFixtures.plan(text: PlanFixtures.hostile).savedBytes(), as: UTF8.self)
        let hidden = text.unicodeScalars.filter { $0 != "\n" && HiddenCharacters.contain($0) && $0.value != 0x200D }
        #expect(hidden.isEmpty)
        #expect(text.contains("\\u001b[31m\\t\\u202e\\u2066\\u200b\\ufeff\\u0085\\u2028#\\u0023[error]#\\u0023vso[x]"))
        #expect(text.contains("\\u0000é日本👩‍👧"))
    }
}

@Suite struct SavedPlanTests {
    private static let plan = PlanFixtures.plan()
    private static let damaged = "the plan file was altered or damaged after it was written; plan again with --out"

    /// A plan file with the members of `json`, whose integrity is right.
    static func sealed(_ json: JSONValue) -> [UInt8] {
        var json = json
        json["integrity"] = nil
        return sealed(start: json.prettyText.dropLast(2))
    }

    /// A plan file that begins so, with the integrity that fits it.
    static func sealed(start: Substring) -> [UInt8] {
        let bytes = Array(start.utf8)
        return bytes + Array(",\n  \"integrity\": \"\(Digest(of: bytes))\"\n}\n".utf8)
    }

    /// The reason why a file is no plan; nil for one.
    static func fault(_ bytes: [UInt8]) -> String? {
        do throws(SavedFileError) {
            _ = try Plan.read(saved: bytes)
            return nil
        } catch {
            return error.description
        }
    }

    /// What is said of a file that is no plan.
    static func notAPlan(_ reason: String) -> String {
        "not a plan file of bugle: \(reason); 'bugle plan --out FILE' writes one"
    }

    @Test(arguments: [0x01, 0x20, 0x80] as [UInt8])
    func noByteCanChangeUnnoticed(_ bits: UInt8) {
        let bytes = Self.plan.savedBytes()
        let unnoticed = bytes.indices.filter { index in
            var damaged = bytes
            damaged[index] ^= bits
            return Self.fault(damaged) == nil
        }
        #expect(unnoticed == [])
    }

    @Test func noByteCanBeLostOrAddedUnnoticed() {
        let bytes = PlanFixtures.empty.savedBytes()
        let unnoticed = bytes.indices.filter { index in
            var shorter = bytes
            shorter.remove(at: index)
            var longer = bytes
            longer.insert(UInt8(ascii: " "), at: index)
            return [shorter, longer, Array(bytes[..<index])].contains { Self.fault($0) == nil }
        }
        #expect(unnoticed == [])
        #expect(Self.fault(bytes + [UInt8(ascii: "\n")]) == Self.damaged)
    }

    @Test func aSignatureSpeaksForEveryByteBeforeIt() throws {
        let key = try #require(PlanKey(Secret(String(repeating: "k", count: 32))))
        let other = try #require(PlanKey(Secret(String(repeating: "o", count: 32))))
        let signed = Self.plan.savedBytes(signedWith: key)
        #expect(try Plan.read(saved: signed) == Self.plan)
        #expect(key.hasSigned(signed) && !other.hasSigned(signed))
        #expect(PlanKey.isSigned(signed) && !PlanKey.isSigned(Self.plan.savedBytes()))
        // Whoever can write a file can also write a seal.
        let text = String(decoding: signed, as: UTF8.self)
        let body = try #require(text.firstRange(of: ",\n  \"integrity\""))
        let start = try #require(text.firstRange(of: ",\n  \"signature\""))
        #expect(Self.sealed(start: text[..<body.lowerBound]) == signed)
        let forged = Self.sealed(
            start: text[..<body.lowerBound].replacing(
                "\"workspace\": \"giants\"", with: "\"workspace\": \"gIants\""))
        #expect(forged.count == signed.count && forged != signed)
        #expect(!key.hasSigned(forged))
        #expect(!key.hasSigned(Self.sealed(start: text[..<start.lowerBound])))
        #expect(!key.hasSigned([]))
    }

    @Test(arguments: [(0, false), (31, false), (32, true), (200, true)])
    func aKeyHasThirtyTwoBytesAtLeast(_ bytes: Int, _ isKey: Bool) {
        #expect((PlanKey(Secret(bytes: Array(repeating: 7, count: bytes))) != nil) == isKey)
    }

    @Test func aDamagedPlanSaysWhatToDo() throws {
        let text = String(decoding: Self.plan.savedBytes(), as: UTF8.self)
        let altered = Array(text.replacing("\"devices\": 12345", with: "\"devices\": 12346").utf8)
        #expect(Self.fault(altered) == Self.damaged)
    }

    @Test func aLaterMinorVersionMayHaveMoreMembers() throws {
        var json = Self.plan.json
        json["formatVersion"] = "1.7"
        json["tool"] = "bugle 0.8.0"
        json["weather"] = ["sunny": true]
        var change = try #require(json["changes"]?.array?.first)
        change["colour"] = "blue"
        json["changes"] = .array([change] + (json["changes"]?.array ?? []).dropFirst())
        #expect(try Plan.read(saved: Self.sealed(json)) == Self.plan)
    }

    @Test func integritySpeaksForMembersThatAreNotKnown() {
        var json = Self.plan.json
        json["weather"] = "sunny"
        let bytes = String(decoding: Self.sealed(json), as: UTF8.self)
        #expect(Self.fault(Array(bytes.utf8)) == nil)
        #expect(Self.fault(Array(bytes.replacing("sunny", with: "rainy").utf8)) == Self.damaged)
    }

    @Test(arguments: ["2.0", "0.9", "10.0"])
    func anotherMajorVersionIsRefused(_ version: String) {
        var json = Self.plan.json
        json["formatVersion"] = .string(version)
        json["tool"] = "bugle 3.1.4"
        #expect(
            Self.fault(Self.sealed(json)) == """
                the plan file has format \(version), written by bugle 3.1.4, and bugle 0.1.0 reads format 1; \
                plan again with this version
                """)
    }

    @Test(arguments: [
        ("", "it is not JSON with a formatVersion"),
        ("apiVersion: bugle/v1\n", "it is not JSON with a formatVersion"),
        ("\u{0}\u{1}", "it is not JSON with a formatVersion"),
        ("[]", "it is not JSON with a formatVersion"),
        ("{}", "it has no formatVersion"),
        ("{\"formatVersion\": \"x\"}", "its formatVersion is not a version"),
        ("{\"formatVersion\": \"1.0\", \"diagnostics\": []}", "it holds diagnostics or results, and no changes"),
    ])
    func anythingElseIsNotAPlan(_ text: String, _ reason: String) {
        #expect(Self.fault(Array(text.utf8)) == Self.notAPlan(reason))
    }

    @Test(arguments: [
        "desired", "workspace", "remote", "remoteType", "remoteTitle", "remoteFingerprint", "createdAt", "expiresAt",
        "changes", "diagnostics",
    ])
    func aMissingMemberIsNamed(_ member: String) {
        var json = Self.plan.json
        json[member] = nil
        #expect(Self.fault(Self.sealed(json)) == Self.notAPlan("\(member) is missing"))
    }

    @Test(arguments: ["kind", "name", "action", "reason", "blocked"])
    func aMissingMemberOfAChangeIsNamed(_ member: String) throws {
        var json = Self.plan.json
        var changes = try #require(json["changes"]?.array)
        changes[1][member] = nil
        json["changes"] = .array(changes)
        #expect(Self.fault(Self.sealed(json)) == Self.notAPlan("changes[1].\(member) is missing"))
    }

    @Test(
        arguments: [
            ("changes", "none", "changes has the wrong type"),
            ("workspace", 1, "workspace has the wrong type"),
            ("createdAt", "yesterday", "createdAt has a value that this version does not know, 'yesterday'"),
            ("desired", "md5:1", "desired has a value that this version does not know, 'md5:1'"),
            ("remoteType", "pigeon", "remoteType has a value that this version does not know, 'pigeon'"),
            ("simulated", "no", "simulated has the wrong type"),
            (
                "diagnostics",
                [
                    [
                        "severity": "note", "code": "drift", "message": "x", "file": "a", "line": 1,
                        "column": .integer(.max),
                    ]
                ],
                "diagnostics[0].column is not an allowed number, '9223372036854775807'"
            ),
            (
                "diagnostics", [["severity": "error", "code": "tilt", "message": "x"]],
                "diagnostics[0].code has a value that this version does not know, 'tilt'"
            ),
        ] as [(String, JSONValue, String)])
    func aWrongValueIsNamed(_ member: String, _ value: JSONValue, _ reason: String) {
        var json = Self.plan.json
        json[member] = value
        #expect(Self.fault(Self.sealed(json)) == Self.notAPlan(reason))
    }

    @Test(
        arguments: [
            ("kind", "Pigeon", "changes[3].kind has a value that this version does not know, 'Pigeon'"),
            ("action", "explode", "changes[3].action has a value that this version does not know, 'explode'"),
            ("line", "x", "changes[3].line has the wrong type"),
            (
                "blocked", [["rule": "mood", "message": ""]],
                "changes[3].blocked[0].rule has a value that this version does not know, 'mood'"
            ),
            (
                "request", ["endpoint": "fax", "body": [:]],
                "changes[3].request.endpoint has a value that this version does not know, 'fax'"
            ),
            ("delivery", ["id": "x"], "changes[3].delivery.generation is missing"),
        ] as [(String, JSONValue, String)])
    func aWrongValueOfAChangeIsNamed(_ member: String, _ value: JSONValue, _ reason: String) throws {
        var json = Self.plan.json
        var changes = try #require(json["changes"]?.array)
        changes[3][member] = value
        json["changes"] = .array(changes)
        #expect(Self.fault(Self.sealed(json)) == Self.notAPlan(reason))
    }
}
