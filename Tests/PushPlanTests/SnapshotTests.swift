internal import JSONValue
internal import PushModel
internal import PushPlan
internal import Testing

@Suite struct SnapshotTests {
    private static let now = PlanFixtures.now
    private static let secretText = "SECRET-TEXT"

    private static func entry(
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
            figures: figures, reason: secretText, isMissed: state == .unsent, fence: 7,
            provenance: Provenance(commit: secretText, actor: secretText, run: secretText))
    }

    /// The state as a text names it, with explanations.
    private static func state(name: String = "plain") -> RemoteState {
        var state = counted(name: name)
        state.explanations = [
            Digest(of: [5]): AudienceExplanation(
                devices: 12_345, platforms: ["ios": 12_000, name: 345],
                deviceProfiles: .init([("", 45), (name, 12_300)]) { $1 },
                timeZones: .init([("", 50), (name, 900)]) { $1 }, timeZoneSample: 1000,
                skipped: [.invalid: 1, .stale: 2, .otherProfile: 3, .otherPlatform: 4]),
            Digest(of: [6]): AudienceExplanation(devices: 0),
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
                second.notificationID: .failed(secretText), DeliveryID(workspace: "", campaign: "", revision: 1): .none,
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
        state(name: name).snapshotBytes(workspace: "giants", remote: PlanFixtures.remote)
    }

    private func code(_ bytes: [UInt8]) -> SnapshotError.Code? {
        do throws(SnapshotError) {
            _ = try Snapshot.read(bytes)
            return nil
        } catch {
            return error.code
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
        .unknown(Snapshot.unrecordedReason),
    ])
    func whereAPushStandsIsRecorded(standing: PushRecord.Standing) throws {
        var state = RemoteState(now: Self.now)
        let id = DeliveryID(workspace: "", campaign: "", revision: 1)
        let figures = DeliveryFigures(devices: 1, successes: 0, invalidTokens: 0)
        state.evidence[id] = .found(PushRecord(objectID: nil, standing, figures: figures))
        let bytes = state.snapshotBytes(workspace: "giants", remote: PlanFixtures.remote)
        #expect(try Snapshot.read(bytes).state.evidence == state.evidence)
    }

    @Test func anEmptyRemoteIsRecordedToo() throws {
        let bytes = RemoteState(now: Self.now).snapshotBytes(workspace: "giants", remote: PlanFixtures.remote)
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
        #expect(other.snapshotBytes(workspace: "giants", remote: PlanFixtures.remote) == Self.bytes())
    }

    @Test func aCutAnywhereIsNoticed() {
        let bytes = Self.bytes()
        #expect(bytes.indices.filter { code(Array(bytes[..<$0])) == nil } == [])
        #expect(code(bytes + bytes) == .damaged)
    }

    @Test(arguments: [
        ("\tsent\t", "\tsend\t", 9), ("\nnow\t2026", "\nnow\tx026", 4), ("\t3600000\t", "\t1h\t", 8),
        ("{\"name\"", "{name", 13),
    ])
    func aLineThatCannotBeReadIsNamed(_ sound: String, _ damaged: String, _ line: Int) {
        let text = String(decoding: Self.bytes(), as: UTF8.self)
        #expect(text.contains(sound))
        let bytes = Array(text.replacing(sound, with: damaged, maxReplacements: 1).utf8)
        let error = #expect(throws: SnapshotError.self) { try Snapshot.read(bytes) }
        #expect(
            error?.description
                == "the recorded remote state is damaged at line \(line); record it again with --record")
    }

    @Test func aLaterMinorVersionMayHaveMoreLinesAndFields() throws {
        var lines = String(decoding: Self.bytes(), as: UTF8.self).split(separator: "\n").map(String.init)
        lines[0] = "bugle-snapshot\t1.4\tbugle 0.9.0\tmore"
        lines[3] += "\tmore"
        lines[lines.count - 1] = "weather\tsunny\nend\t\(lines.count)"
        let read = try Snapshot.read(Array((lines.joined(separator: "\n") + "\n").utf8))
        #expect(read.state.ledger.count == 4)
    }

    @Test func aLaterVersionMayTellMoreApart() throws {
        let text = String(decoding: Self.bytes(), as: UTF8.self)
        let line = try #require(text.split(separator: "\n").first { $0.hasPrefix("explained\t") })
        for later in [
            line.replacing("\tplatform\t", with: "\tcarrier\t"),
            line.replacing("\tdeviceProfile\t", with: "\tskipped\t"),
        ] {
            let read = try Snapshot.read(Array(text.replacing(line, with: later).utf8))
            #expect(read.state.explanations.count == 2)
        }
    }

    @Test func aPartWithoutItsExplanationIsDamage() throws {
        let lines = String(decoding: Self.bytes(), as: UTF8.self).split(separator: "\n")
        let left = lines.filter { !$0.hasPrefix("explanation\t") }
        #expect(code(Array((left.joined(separator: "\n") + "\n").utf8)) == .damaged)
    }

    @Test func anotherMajorVersionIsRefused() {
        let text = String(decoding: Self.bytes(), as: UTF8.self).replacing("\t1.0\t", with: "\t2.0\t")
        let error = #expect(throws: SnapshotError.self) { try Snapshot.read(Array(text.utf8)) }
        #expect(error?.code == .majorVersion)
        #expect(
            error?.description == """
                the recorded remote state has format 2.0, and bugle 0.1.0 reads format 1; record it again with \
                --record
                """)
    }

    @Test(arguments: ["", "{}", "bugle-snapshot", "bugle-snapshot\t1.0", "bugle-snapshot\tx\ty\n"])
    func anythingElseIsNotASnapshot(_ text: String) {
        #expect(code(Array(text.utf8)) == .notASnapshot)
    }
}
