internal import Base
internal import Push
internal import Testing

@Suite struct SnapshotTests {
    private static let now = PlanFixtures.now
    private static let secretText = "SECRET-TEXT"

    static func entry(
        _ campaign: String, generation: Int = 0, state: DeliveryState = .sent, at: Instant? = nil,
        figures: DeliveryFigures? = nil
    ) -> LedgerEntry {
        LedgerEntry(
            delivery: DeliveryID(workspace: "giants", campaign: campaign, revision: 2), generation: generation,
            notificationID: DeliveryID(
                workspace: "giants", campaign: campaign, revision: 2, generation: generation),
            workspace: "giants", campaign: campaign, revision: 2, state: state,
            request: PushRequest(endpoint: .push, body: ["data": ["alert": .string(secretText)]]),
            fingerprint: Digest(of: Array(campaign.utf8)), content: Digest(of: [2]), encoder: 3, intendedAt: now,
            scheduledAt: at, window: .seconds(3600), expiresAt: at.map { $0 + .seconds(60) }, objectID: "objectid",
            figures: figures, reason: .verbatim(secretText), isMissed: state == .unsent, fence: 7,
            provenance: Provenance(commit: secretText, actor: secretText, run: secretText))
    }

    /// The state as a text names it, with explanations.
    private static func state(name: String = "plain") -> RemoteState {
        var state = counted(name: name)
        state.explanations = [
            Digest(of: [5]): AudienceCount(
                devices: 12_345, platforms: ["ios": 12_000, name: 345],
                deviceProfiles: .init([("", 45), (name, 12_300)]) { $1 },
                timeZones: .init([("", 50), (name, 900)]) { $1 }, timeZoneSample: 1000,
                leftOut: [.invalid: 1, .stale: 2, .otherProfile: 3, .otherPlatform: 4]),
            Digest(of: [6]): AudienceCount(devices: 0),
        ]
        state.unanswered = [Digest(of: [7]): secretText]
        return state
    }

    private static func counted(name: String) -> RemoteState {
        let (first, second) = (entry(name), entry("b", generation: 2, state: .scheduled, at: now + .milliseconds(1)))
        let figures = DeliveryFigures(devices: 1000, successes: 990, invalidTokens: 3)
        return RemoteState(
            now: now,
            ledger: [
                first, second, entry("c", state: .unsent, figures: figures),
                entry(
                    "d",
                    figures: DeliveryFigures(
                        devices: 9, successes: 5, invalidTokens: 1, inDoubt: 2, missed: 1, simulated: 4)),
            ], ledgerStarted: true,
            resources: [
                ResourceRecord(kind: .segment, name: name, fields: ["where": ["scores": true, "name": .string(name)]]),
                ResourceRecord(kind: .deviceProfile, name: "driver", fields: [:], isProtected: true),
            ],
            scheduled: [
                ScheduledPush(id: 9, notificationID: nil, at: now + .seconds(5)),
                ScheduledPush(id: 8, notificationID: second.notificationID.text, at: now + .seconds(5)),
            ],
            evidence: [
                first.notificationID: .found(
                    PushRecord(
                        objectID: nil, .unknown(secretText), figures: figures)),
                second.notificationID: .failed(.verbatim(secretText)),
                DeliveryID(workspace: "", campaign: "", revision: 1): .none,
                DeliveryID(workspace: "", campaign: "", revision: 2): .journal(
                    JournalState(targets: 9, answered: 5, inDoubt: 1, waiting: 3, lastOutcomeAt: now, refused: 2)),
                DeliveryID(workspace: "", campaign: "", revision: 3): .journal(.unbegun),
            ],
            audiences: [
                Digest(of: [5]): AudienceCount(devices: 12_345, innerQuery: 900),
                Digest(of: [6]): AudienceCount(devices: 0),
            ],
            installations: InstallationSample(
                size: 1000, channels: [name: 4, "Giants": 400], deviceProfiles: ["driver": 3],
                subscribers: ["Mets": 70_000], bearers: ["driver": 2]),
            lock: LockRecord(
                holder: "ci@host", run: "", fence: 12, acquiredAt: now, expiresAt: now + .seconds(120),
                lastApplied: LastApplied(commit: "abc1234", committedAt: nil, at: now, run: "github run 812")))
    }

    private static func bytes(name: String = "plain") -> [UInt8] {
        Snapshot(workspace: "giants", remote: PlanFixtures.remote, state: state(name: name)).bytes
    }

    /// The reason why a file is no recorded state; nil for one.
    private func fault(_ bytes: [UInt8]) -> String? {
        do throws(SavedFileError) {
            _ = try Snapshot.read(bytes)
            return nil
        } catch {
            return error.description
        }
    }

    @Test(arguments: ["plain", "", "-", "%09", "a\tb\nc%\u{1B}", PlanFixtures.hostile, "日本"])
    func whatIsRecordedIsReadBack(_ name: String) throws {
        let (written, snapshot) = (Self.state(name: name), try Snapshot.read(Self.bytes(name: name)))
        #expect(snapshot.workspace == "giants")
        #expect(snapshot.remote == PlanFixtures.remote)
        let read = snapshot.state
        #expect(read.now == written.now)
        #expect(read.ledgerStarted)
        let stripped = written.ledger.map { entry in
            var entry = entry
            (entry.request, entry.reason, entry.provenance) = (nil, nil, Provenance())
            return entry
        }
        #expect(read.ledger == stripped.sorted { $0.delivery < $1.delivery })
        #expect(Set(read.resources) == Set(written.resources))
        #expect(Set(read.scheduled) == Set(written.scheduled))
        #expect(read.audiences == written.audiences)
        #expect(read.explanations == written.explanations)
        #expect(read.installations == written.installations)
        #expect(read.lock == written.lock)
        #expect(read.evidence.mapValues(Self.kind) == written.evidence.mapValues(Self.kind))
    }

    private static func kind(_ evidence: Evidence) -> String {
        switch evidence {
        case .none: "none"
        case .failed: "failed"
        case .journal(let state): "\(state)"
        case .found(var record):
            {
                if case .unknown = record.standing { record.standing = .unknown("") }
                return "\(record)"
            }()
        }
    }

    @Test(arguments: [
        PushRecord.Standing.queued, .scheduled, .done, .refused(.massiveDevelopmentPush),
        .unknown(Reason(.notKept).text),
    ])
    func whereAPushStandsIsRecorded(standing: PushRecord.Standing) throws {
        var state = RemoteState(now: Self.now)
        let id = DeliveryID(workspace: "", campaign: "", revision: 1)
        let figures = DeliveryFigures(devices: 1, successes: 0, invalidTokens: 0)
        state.evidence[id] = .found(PushRecord(objectID: nil, standing, figures: figures))
        let bytes = Snapshot(workspace: "giants", remote: PlanFixtures.remote, state: state).bytes
        #expect(try Snapshot.read(bytes).state.evidence == state.evidence)
    }

    @Test func anEmptyRemoteIsRecordedToo() throws {
        let bytes = Snapshot(
            workspace: "giants", remote: PlanFixtures.remote, state: RemoteState(now: Self.now)
        ).bytes
        let read = try Snapshot.read(bytes).state
        #expect(read.ledger.isEmpty && read.resources.isEmpty && read.lock == nil && read.installations == nil)
        #expect(!read.ledgerStarted)
    }

    @Test func itHoldsNoRequestAndNobodysWords() {
        let text = String(decoding: Self.bytes(), as: UTF8.self)
        #expect(!text.contains(Self.secretText))
        #expect(!text.contains("alert"))
    }

    @Test func equalStatesAreTheSameBytesInWhateverOrderTheyCame() {
        var other = Self.state()
        other.ledger.reverse()
        other.resources.reverse()
        other.scheduled.reverse()
        #expect(Snapshot(workspace: "giants", remote: PlanFixtures.remote, state: other).bytes == Self.bytes())
    }

    @Test func aCutAnywhereIsNoticed() {
        let bytes = Self.bytes()
        // Without its last newline it is whole.
        #expect(bytes.indices.dropLast().filter { fault(Array(bytes[..<$0])) == nil } == [])
        #expect(fault(bytes + bytes)?.hasPrefix("the recorded remote state is damaged: ") == true)
    }

    @Test(arguments: [
        ("\"sent\"", "\"send\"", "ledger[1].state has a value that this version does not know, 'send'"),
        (
            "\"now\": \"2026", "\"now\": \"x026",
            "now has a value that this version does not know, 'x026-11-20T12:00:00Z'"
        ),
        ("\"window\": 3600", "\"window\": \"1h\"", "ledger[0].window has the wrong type"),
        ("\"holder\"", "\"keeper\"", "lock.holder is missing"),
        ("\"fields\": {", "\"fields\": {{", "not JSON: line 41, column 60: a name in quotation marks is expected"),
    ])
    func aPlaceThatCannotBeReadIsNamed(_ sound: String, _ damaged: String, _ place: String) {
        let text = String(decoding: Self.bytes(), as: UTF8.self)
        #expect(text.contains(sound))
        let bytes = Array(text.replacing(sound, with: damaged, maxReplacements: 1).utf8)
        #expect(fault(bytes) == "the recorded remote state is damaged: \(place); record it again with --record")
    }

    @Test func aLaterMinorVersionMayHaveMoreMembers() throws {
        let text = String(decoding: Self.bytes(), as: UTF8.self)
            .replacing("\"formatVersion\": \"1.1\"", with: "\"formatVersion\": \"1.4\", \"weather\": \"sunny\"")
            .replacing("\"generation\"", with: "\"more\": [1], \"generation\"")
        #expect(try Snapshot.read(Array(text.utf8)).state.ledger.count == 4)
    }

    @Test func eachEntryHasItsLine() {
        let lines = String(decoding: Self.bytes(), as: UTF8.self).split(separator: "\n")
        #expect(lines.count { $0.hasPrefix("    {\"delivery\": ") && $0.contains("\"fence\": 7}") } == 4)
    }

    @Test func anotherMajorVersionIsRefused() {
        let text = String(decoding: Self.bytes(), as: UTF8.self).replacing("\"1.1\"", with: "\"2.0\"")
        #expect(
            fault(Array(text.utf8)) == """
                the recorded remote state has format 2.0, and bugle 0.1.0 reads format 1; record it again with \
                --record
                """)
    }

    @Test(arguments: [
        "", "{}", "bugle-snapshot", "[]", "{\"formatVersion\": \"1.0\"}", "{\"formatVersion\": \"x\", \"ledger\": []}",
    ])
    func anythingElseIsNotASnapshot(_ text: String) {
        #expect(fault(Array(text.utf8)) == "not a recorded remote state; 'bugle plan --record' writes one")
    }
}
