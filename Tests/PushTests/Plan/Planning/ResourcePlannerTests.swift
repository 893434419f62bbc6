import Base
import Push
import RemoteTesting
import Testing

@Suite struct ResourcePlannerTests {
    private func profile(
        topic: String = "com.example", isProtected: Bool = false, facts: CredentialFacts? = nil
    ) -> DeviceProfile {
        DeviceProfile(
            name: "main", origin: Sample.origin("profile"), environment: .production, topic: topic,
            credential: .certificate(source: .environment("CERT"), key: nil, passphrase: nil),
            isProtected: isProtected, facts: facts)
    }

    private func plan(_ profiles: [DeviceProfile], _ recorded: [ResourceRecord] = []) -> Plan {
        Ledger.plan(
            Sample.workspace { $0.deviceProfiles = profiles },
            RemoteState(now: Sample.start, ledgerStarted: true, resources: recorded))
    }

    private let facts = CredentialFacts(fingerprint: "abcd", expiresAt: Sample.start + .seconds(86_400 * 365))

    @Test func aNewResourceIsCreatedAndAPersonIsToldWhatToDo() throws {
        let plan = plan([profile(facts: facts)])
        let change = try #require(plan.changes.first)
        #expect(change.action == .create && change.before == nil)
        #expect(change.after?["certificate"] == "sha256:abcd")
        #expect(
            plan.diagnostics.map(\.message.text) == [
                "upload the certificate or key of main in the service's console; its fingerprint is then sha256:abcd"
            ])
    }

    @Test func aBugleServerTakesItFromItsWorkspace() throws {
        var state = RemoteState(now: Sample.start, ledgerStarted: true)
        state.isBugleServer = true
        let plan = Ledger.plan(Sample.workspace { $0.deviceProfiles = [profile(facts: facts)] }, state)
        #expect(
            plan.diagnostics.map(\.message.text) == [
                "put the certificate or key of main into the workspace that bugle-server's settings name; "
                    + "its fingerprint is then sha256:abcd"
            ])
    }

    private func recorded(_ profile: DeviceProfile) throws -> ResourceRecord {
        let fields = try #require(plan([profile]).changes.first?.after)
        return ResourceRecord(
            kind: .deviceProfile, name: profile.name, fields: fields, isProtected: profile.isProtected)
    }

    @Test func whatIsRecordedAsDeclaredIsNoChange() throws {
        #expect(plan([profile(facts: facts)], [try recorded(profile(facts: facts))]).changes.isEmpty)
    }

    @Test func aChangedFieldIsAnUpdateThatShowsBoth() throws {
        let change = try #require(
            plan([profile(topic: "com.other", facts: facts)], [try recorded(profile(facts: facts))]).changes.first)
        #expect(change.action == .update)
        #expect(change.before?["topic"] == "com.example" && change.after?["topic"] == "com.other")
    }

    @Test func aCertificateThatCannotBeReadHereIsNoChange() throws {
        #expect(plan([profile()], [try recorded(profile(facts: facts))]).changes.isEmpty)
    }

    @Test func anotherCertificateIsAnUpdateWithAManualStep() throws {
        let other = CredentialFacts(fingerprint: "9999", expiresAt: nil)
        let plan = plan([profile(facts: other)], [try recorded(profile(facts: facts))])
        #expect(plan.changes.map(\.action) == [.update])
        #expect(plan.diagnostics.map(\.code) == [.manualStep])
    }

    @Test func whatIsNoLongerDeclaredIsDeleted() throws {
        #expect(plan([], [try recorded(profile())]).changes.map(\.action) == [.delete])
    }

    @Test func aProtectedProfileIsNotDeletedUntilItIsReleased() throws {
        let protected = try recorded(profile(isProtected: true))
        let change = try #require(plan([], [protected]).changes.first)
        #expect(change.action == .delete && change.blocked.map(\.rule) == [.protected])
        #expect(plan([profile(isProtected: false)], [protected]).changes.map(\.reason.text) == ["no longer protected"])
    }

    // MARK: What the installations say

    private func remarks(_ sample: InstallationSample, _ recorded: [ResourceRecord] = []) -> [String] {
        let workspace = Sample.workspace {
            $0.channels = [Channel(name: "Giants", origin: Sample.origin("channels"))]
        }
        return Ledger.plan(
            workspace,
            RemoteState(now: Sample.start, ledgerStarted: true, resources: recorded, installations: sample)
        ).diagnostics.map { "\($0.severity.rawValue) \($0.message.text)" }
    }

    @Test func whatIsUsedAndNotDeclaredIsDrift() {
        #expect(
            remarks(InstallationSample(size: 1000, channels: ["Mets": 12], deviceProfiles: ["old": 1])) == [
                "note channel Mets is in use (12 of 1,000 newest installations) and not declared",
                "note deviceProfile old is in use (1 of 1,000 newest installations) and not declared",
            ])
    }

    @Test func whatIsDeclaredAndNotUsedIsDrift() {
        #expect(
            remarks(InstallationSample(size: 0, subscribers: ["Giants": 0]))
                == ["note no device subscribes to channel Giants"])
    }

    @Test func subscribersOfAChannelAboutToBeDeletedAreAWarning() {
        let record = ResourceRecord(kind: .channel, name: "Mets", fields: [:])
        #expect(
            remarks(InstallationSample(size: 0, subscribers: ["Giants": 1, "Mets": 1234]), [record])
                == ["warning 1,234 devices still subscribe to channel Mets, which is no longer declared"])
    }

    @Test func aPushThatIsNotOursIsListedAndLeftAlone() {
        let state = RemoteState(
            now: Sample.start, ledgerStarted: true,
            scheduled: [ScheduledPush(id: 7, notificationID: "theirs", at: Sample.start + .seconds(60))])
        let plan = Ledger.plan(Sample.workspace(), state)
        #expect(plan.changes.isEmpty)
        #expect(plan.diagnostics.map(\.code) == [.unmanaged])
    }

    @Test func aCertificateThatExpiresSoonIsANote() throws {
        let soon = CredentialFacts(fingerprint: "ab", expiresAt: Sample.start + .seconds(86_400 * 10))
        let plan = plan([profile(facts: soon)], [try recorded(profile(facts: soon))])
        #expect(
            plan.diagnostics.map(\.message.text) == ["the certificate of main expires on 2026-11-30, in 10 days"])
    }

    @Test func quotasAreWarnings() {
        let campaign = Sample.campaign("score", at: Sample.start + .seconds(3600))
        let plan = Ledger.plan(
            Sample.workspace([campaign]) {
                $0.policy.pendingQuota = 0
                $0.policy.dailyQuota = 2
            })
        #expect(!plan.isBlocked)
        #expect(plan.diagnostics.filter { $0.code == .quota }.map(\.severity) == [.warning, .warning])
    }
}
