package import Base

/// The queries that planning, and every read-only command, makes on a remote: nothing here changes anything.
package protocol RemoteReading: Sendable {
    var description: RemoteDescription { get }
    var capabilities: Capabilities { get }
    var encoder: any RequestEncoding { get }

    /// The server's time.
    ///
    /// - Throws: ``RemoteError`` when the remote cannot be queried.
    func now() async throws(RemoteError) -> Instant

    /// Every ledger entry of the workspace, including several of one delivery.
    ///
    /// - Throws: ``RemoteError`` when it cannot be queried, or an entry has an unexpected shape.
    func ledger() async throws(RemoteError) -> [LedgerEntry]

    /// The orders to stop deliveries of the workspace.
    ///
    /// - Throws: ``RemoteError`` when they cannot be queried, or one has an unexpected shape.
    func stops() async throws(RemoteError) -> [StopOrder]

    /// True when `ledger start` was run for the workspace.
    ///
    /// - Throws: ``RemoteError`` when the remote cannot be queried.
    func isLedgerStarted() async throws(RemoteError) -> Bool

    /// The other workspaces with deliveries in the same storage, with the number of their ledger entries.
    ///
    /// - Throws: ``RemoteError`` when the remote cannot be queried.
    func neighbours() async throws(RemoteError) -> [String: Int]

    /// The resources of the workspace as last deployed.
    ///
    /// - Throws: ``RemoteError`` when it cannot be queried, or a record has an unexpected shape.
    func resources() async throws(RemoteError) -> [ResourceRecord]

    /// The lock's record; nil when no apply ever ran.
    ///
    /// - Throws: ``RemoteError`` when it cannot be queried, or the record has an unexpected shape.
    func lock() async throws(RemoteError) -> LockRecord?

    /// All scheduled pushes on the remote, ours and others'.
    ///
    /// - Throws: ``RemoteError`` when it cannot be queried, or the list has an unexpected shape.
    func scheduledPushes() async throws(RemoteError) -> [ScheduledPush]

    /// The record of the push whose request bore this id; nil when the remote answered properly that there is none.
    ///
    /// - Throws: ``RemoteError`` on any other answer: the look-up failed and proves nothing.
    func record(notification: DeliveryID) async throws(RemoteError) -> PushRecord?

    /// The record of the push to which the service gave this id; nil when there is none (yet).
    ///
    /// - Throws: ``RemoteError`` when the remote cannot be queried.
    func record(objectID: String) async throws(RemoteError) -> PushRecord?

    /// The state of a delivery's journal; only for a remote that keeps one.
    ///
    /// - Throws: ``RemoteError`` when it cannot be queried, or when this delivery has no journal, so that its state is
    ///   unknown.
    func journal(of entry: LedgerEntry) async throws(RemoteError) -> JournalState

    /// The devices that reported events of a delivery; nil when it counts none.
    ///
    /// - Throws: ``RemoteError`` when the remote cannot be queried.
    func events(of entry: LedgerEntry) async throws(RemoteError) -> EventFigures?

    /// Counts the devices that a push to this audience, given by the remote's encoder, would reach now, and the largest
    /// inner query's results.
    ///
    /// - Throws: ``RemoteError`` when the remote cannot be queried, or refuses the condition.
    func count(_ condition: JSONValue) async throws(RemoteError) -> AudienceCount

    /// Counts the devices that a condition for two audiences reaches, and nothing else.
    ///
    /// - Throws: ``RemoteError`` when the remote cannot be queried, or refuses the condition.
    func shared(_ condition: JSONValue) async throws(RemoteError) -> AudienceCount

    /// True if a bugle-server has answered.
    var isBugleServer: Bool { get }

    /// Breaks down the devices that a push to this audience would reach now.
    ///
    /// - Parameters:
    ///   - condition: a request's audience as given by the remote's encoder.
    ///   - deviceProfiles: profiles that devices may have, for a remote that can only be queried for one by name.
    /// - Returns: a breakdown of as many devices as ``count(_:)`` returns.
    /// - Throws: ``RemoteError`` when the remote cannot be queried, or refuses the condition.
    func explain(_ condition: JSONValue, deviceProfiles: [String]) async throws(RemoteError) -> AudienceCount

    /// A sample of the profiles and channels of installations; devices of the given channels and profiles are counted
    /// over all installations.
    ///
    /// - Throws: ``RemoteError`` when the remote cannot be queried.
    func sampleInstallations(channels: [String], deviceProfiles: [String]) async throws(RemoteError)
        -> InstallationSample
}

extension RemoteReading {
    /// The default for a remote that counts no events.
    package func events(of entry: LedgerEntry) async throws(RemoteError) -> EventFigures? { nil }

    /// The default for a remote that counts as cheaply as it can.
    package func shared(_ condition: JSONValue) async throws(RemoteError) -> AudienceCount {
        try await count(condition)
    }

    /// The default for a remote that is no server.
    package var isBugleServer: Bool { false }

    /// The default for a remote without a journal: always throws.
    package func journal(of entry: LedgerEntry) async throws(RemoteError) -> JournalState {
        throw RemoteError(.unavailable, "\(description.name) keeps no journal")
    }
}

// MARK: - Observing

extension RemoteReading {
    /// Reads everything a plan is made from: ledger, resources, lock and scheduled pushes, and then the answers to the
    /// questions that a plan of the state so far still needs answered, until there are no more. A state that is `known`
    /// is not read again.
    ///
    /// - Throws: ``RemoteError`` when the remote cannot be queried; a failed look-up of a delivery is not an error but
    ///   inconclusive evidence, and questions for a review only may stay unanswered.
    package func observe(
        from known: RemoteState? = nil, asking questions: (RemoteState) -> PlanQuestions
    ) async throws(RemoteError) -> RemoteState {
        var state: RemoteState
        if let known {
            state = known
        } else {
            let (ledger, stops) = try await stoppedLedger()
            state = RemoteState(
                now: try await now(), ledger: ledger, ledgerStarted: try await isLedgerStarted(),
                resources: try await resources(), scheduled: try await scheduledPushes(), lock: try await lock())
            state.isBugleServer = isBugleServer
            state.stops = stops
        }
        let gatherer = EvidenceGatherer(self, ledger: state.ledger, now: state.now)
        var declared: [String] = []
        // A look-up can show that a delivery must be sent, and its audience must then be counted: a few rounds suffice.
        for _ in 0..<4 {
            let asked = questions(state)
            if asked.isEmpty(beside: state) { return state }
            if asked.neighbours { state.neighbours = try await neighbours() }
            for id in asked.lookUps { state.evidence[id] = await gatherer.evidence(for: id) }
            for (digest, condition) in asked.counts.sorted(by: { $0.key < $1.key }) {
                state.audiences[digest] = try await count(condition)
            }
            if state.installations == nil {
                declared = asked.deviceProfiles
                state.installations = try await sampleInstallations(
                    channels: asked.channels, deviceProfiles: asked.deviceProfiles)
            }
            await review(asked, declared: declared, into: &state)
        }
        return state
    }

    /// Answers the questions for reviewers only: a plan is complete without them.
    private func review(_ asked: PlanQuestions, declared: [String], into state: inout RemoteState) async {
        let used = state.installations?.deviceProfiles.keys.sorted() ?? []
        let profiles = declared + state.resources.filter { $0.kind == .deviceProfile }.map(\.name) + used
        let conditions = [asked.explanations, asked.comparisons].flatMap { $0.sorted { $0.key < $1.key } }
        var silence: RemoteError?
        for (digest, condition) in conditions {
            do throws(RemoteError) {
                if let silence { throw silence }
                if asked.explanations[digest] != nil {
                    state.explanations[digest] = try await explain(condition, deviceProfiles: profiles)
                } else {
                    state.audiences[digest] = try await shared(condition)
                }
            } catch {
                state.unanswered[digest] = error.description
                // A refused question says nothing about the next; after any other failure no more are asked.
                silence = error.kind == .refused ? nil : error
            }
        }
    }
}

extension PlanQuestions {
    fileprivate func isEmpty(beside state: RemoteState) -> Bool {
        !neighbours && lookUps.isEmpty && counts.isEmpty && explanations.isEmpty && comparisons.isEmpty
            && state.installations != nil
    }
}

/// The queries of `bugle import` and `bugle migrate` in addition to those of planning: they do not change anything
/// either.
package protocol RemoteImporting: RemoteReading {
    /// The ids of at most `limit` installations (1 to 1,000) that match a condition and would get a push now, the most
    /// recently seen first.
    ///
    /// - Throws: ``RemoteError`` when the remote cannot be queried, or the list has an unexpected shape.
    func installationIDs(_ condition: JSONValue, limit: Int) async throws(RemoteError) -> [String]

    /// At most `limit` installations (1 to 1,000) that match a condition, whether they would get a push or not, the most
    /// recently seen first.
    ///
    /// - Throws: ``RemoteError`` when the remote cannot be queried, or the list has an unexpected shape.
    func installations(_ condition: JSONValue, limit: Int) async throws(RemoteError) -> [JSONObject]

    /// The ways in which a bugle-server reaches real devices.
    ///
    /// - Throws: ``RemoteError`` when it cannot be queried, or is not a bugle-server.
    func serverReach() async throws(RemoteError) -> ServerReach

    /// What each way of a bugle-server would send for a request, which is checked as if it came in, and not sent.
    ///
    /// - Throws: ``RemoteError`` with `refused` when the server would refuse it; any other when it cannot be queried.
    func rendering(of request: PushRequest) async throws(RemoteError) -> [RenderedPush]

    /// All scheduled pushes on the remote, with their content.
    ///
    /// - Throws: ``RemoteError`` when the remote cannot be queried, or the list has an unexpected shape.
    func keptPushes() async throws(RemoteError) -> [KeptPush]

    /// Counts the channels and profiles of all installations, in bounded memory; `progress` is called after each page
    /// with the number of installations read.
    ///
    /// - Throws: ``RemoteError`` when the remote cannot be queried.
    func surveyInstallations(progress: @Sendable (Int) -> Void) async throws(RemoteError) -> InstallationSurvey
}

/// The ways in which a bugle-server reaches real devices.
package struct ServerReach: Hashable, Sendable {
    /// True when pushes leave the server at all; otherwise every device is simulated.
    package var isReal: Bool
    /// The DeviceProfiles whose credential is present and has not expired.
    package var deviceProfiles: Set<String>
    /// The services that it reaches devices through: `apple` and vendors of Android; nil when all are simulated.
    package var ways: Set<String>?
    /// Everything that the old service wrote before this time, by its clock, has been copied; nil when no copy of its
    /// live data was complete.
    package var copiedUntil: Instant?
    /// The copied devices that are kept aside, because a newer registration has their token or id.
    package var keptAside = 0

    package init(isReal: Bool, deviceProfiles: Set<String>, ways: Set<String>? = nil) {
        self.isReal = isReal
        self.deviceProfiles = deviceProfiles
        self.ways = ways
    }
}

/// What one way of a server would send for a push.
package struct RenderedPush: Hashable, Sendable {
    /// The service: `apple` or a vendor of Android.
    package var way: String
    /// The bytes of the message.
    package var bytes: Int
    /// The most bytes that the service takes; nil where its documents name no limit.
    package var limit: Int?

    package init(way: String, bytes: Int, limit: Int?) {
        self.way = way
        self.bytes = bytes
        self.limit = limit
    }
}

/// A scheduled push in the remote's own format.
package struct KeptPush: Sendable {
    /// The push's id and time.
    package let push: ScheduledPush
    /// The push's entry in the list; always an object.
    package let message: JSONValue

    package init(push: ScheduledPush, message: JSONValue) {
        self.push = push
        self.message = message
    }
}

/// The channels and profiles found in installations.
package struct InstallationSurvey: Hashable, Sendable {
    /// The counts for the installations of one profile.
    package struct Profile: Hashable, Sendable {
        /// The number of Apple devices with the profile.
        package var appleDevices = 0
        /// Android devices with the profile by vendor, in lower case; the empty name: none.
        package var vendors: [String: Int] = [:]
        /// The topics that Apple devices name, with the number of devices.
        package var topics: [String: Int] = [:]
        /// The team ids that Apple devices name, with the number of devices.
        package var teams: [String: Int] = [:]

        package init() {}
    }

    /// The most channel names counted separately: instant messaging creates one channel per user.
    package static let mostChannels = 50_000
    /// The most topics, teams and profiles counted separately.
    package static let mostValues = 1000

    /// The number of installations read.
    package private(set) var count = 0
    /// Channels, with the number of their subscribers.
    package private(set) var channels: [String: Int] = [:]
    /// The profiles by name; installations without one are under the empty name.
    package private(set) var profiles: [String: Profile] = [:]
    /// Channels with this many subscribers or fewer were left out to bound the memory, and other counts may be too low
    /// by as much; 0: none were left out.
    package private(set) var threshold = 0

    package init() {}

    /// Adds an installation; malformed values count as missing.
    package mutating func add(_ installation: JSONObject) {
        count += 1
        for name in Set((installation["channels"]?.array ?? []).compactMap(\.string)) where Self.isName(name) {
            channels[name, default: 0] += 1
        }
        while channels.count > Self.mostChannels { forgetRarestChannels() }
        let name = installation["deviceProfile"]?.string.flatMap { Self.isName($0) ? $0 : nil } ?? ""
        guard profiles[name] != nil || profiles.count < Self.mostValues else { return }
        var profile = profiles[name] ?? Profile()
        if installation["deviceType"]?.string == "android" {
            let vendor = installation["vendor"]?.string?.lowercased() ?? ""
            if profile.vendors[vendor] != nil || profile.vendors.count < Self.mostValues {
                profile.vendors[Self.isName(vendor) ? vendor : "", default: 0] += 1
            }
        } else {
            profile.appleDevices += 1
            Self.note(installation["apnsTopic"], in: &profile.topics)
            Self.note(installation["apnsTeamId"], in: &profile.teams)
        }
        profiles[name] = profile
    }

    /// Other clients write installations too: text far longer than any name is ignored.
    private static func isName(_ text: String) -> Bool { (1...512).contains(text.utf8.count) }

    private mutating func forgetRarestChannels() {
        threshold += 1
        let threshold = threshold
        channels = channels.filter { $0.value > threshold }
    }

    private static func note(_ value: JSONValue?, in counts: inout [String: Int]) {
        guard let text = value?.string, isName(text), counts[text] != nil || counts.count < mostValues else { return }
        counts[text, default: 0] += 1
    }
}

/// The features of a remote that decide what a plan may ask of it.
package struct Capabilities: Hashable, Sendable {
    /// True when the remote keeps a push until its time; otherwise a later apply must send it.
    package var canSchedule: Bool
    /// True when the remote holds certificates and channels itself; otherwise they are recorded, and a person acts.
    package var holdsResources: Bool
    /// The most results an inner query may have; nil: no limit.
    package var innerQueryLimit: Int?
    /// True when pushes to the development environment are limited.
    package var limitsDevelopment: Bool
    /// True when installations without a profile can be queried.
    package var canSelectUnprofiled: Bool
    /// True when the remote keeps a journal of every device, so that an interrupted delivery resumes where it stopped.
    package var keepsJournal: Bool

    package init(
        canSchedule: Bool, holdsResources: Bool, innerQueryLimit: Int?, limitsDevelopment: Bool,
        canSelectUnprofiled: Bool, keepsJournal: Bool = false
    ) {
        self.canSchedule = canSchedule
        self.holdsResources = holdsResources
        self.innerQueryLimit = innerQueryLimit
        self.limitsDevelopment = limitsDevelopment
        self.canSelectUnprofiled = canSelectUnprofiled
        self.keepsJournal = keepsJournal
    }
}

/// The identity of a remote in a plan.
package struct RemoteDescription: Hashable, Sendable {
    /// The remote's name in the workspace.
    package var name: String
    /// The type of the service.
    package var type: RemoteType
    /// The name for people: `LeanCloud · push.example.com`.
    package var title: String
    /// The remote's identity: the hash of service, address and app.
    package var fingerprint: Digest

    package init(name: String, type: RemoteType, title: String, fingerprint: Digest) {
        self.name = name
        self.type = type
        self.title = title
        self.fingerprint = fingerprint
    }
}

/// The reason a call to a remote failed or was refused.
package struct RemoteError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The kind of failure, which decides the exit code.
    package let kind: Kind
    /// The failure and what to do, in one sentence without secrets.
    package let description: String

    /// The kinds of failure.
    package enum Kind: Hashable, Sendable {
        case credentials
        /// The service asks to slow down for longer than the retries last.
        case rateLimited
        /// The service cannot be reached, or failed with an error of its own.
        case unavailable
        case refused
        case unexpectedAnswer
        /// A conditional write found another state than required.
        case conditionFailed
        /// What the remote remembers was taken away while it was in use: nobody can look up later what was done.
        case ledgerLost
        case unknownOutcome
    }

    package init(_ kind: Kind, _ description: String) {
        self.kind = kind
        self.description = description
    }
}

/// Looks up the outcome of open deliveries, and tells when a negative result can be trusted.
///
/// A negative result is trusted only if the same look-up, in this run, finds a control: the newest `sent` delivery of
/// the ledger, one hour to six days old. Without such a delivery an answer of the expected shape is enough.
package struct EvidenceGatherer: Sendable {
    private let reader: any RemoteReading
    private let control: DeliveryID?
    /// The entries that have a journal, by the ids of their requests; empty if the remote keeps none.
    private let journaled: [DeliveryID: LedgerEntry]

    /// Looks up through `reader`; the ledger's newest suitable delivery becomes the control.
    package init(_ reader: any RemoteReading, ledger: [LedgerEntry], now: Instant) {
        self.reader = reader
        journaled =
            reader.capabilities.keepsJournal
            ? Dictionary(ledger.map { ($0.notificationID, $0) }) { $0.outranks($1) ? $0 : $1 } : [:]
        control =
            ledger
            .filter { entry in
                let age = now - Self.startOf(entry)
                return entry.state == .sent && age >= .seconds(3600) && age <= .seconds(6 * 86_400)
            }
            .max { (Self.startOf($0), $0.notificationID) < (Self.startOf($1), $1.notificationID) }?
            .notificationID
    }

    /// The time a delivery's push was created, from which its record's age counts.
    fileprivate static func startOf(_ entry: LedgerEntry) -> Instant {
        max(entry.attemptedAt, entry.scheduledAt ?? entry.attemptedAt)
    }

    /// The remote's knowledge of the push whose request bore this id; queried anew every time.
    package func evidence(for notification: DeliveryID) async -> Evidence {
        do throws(RemoteError) {
            if let entry = journaled[notification] { return .journal(try await reader.journal(of: entry)) }
            // The list before the record: a push that fires between the two queries is then seen by the second.
            let scheduled = try await reader.scheduledPushes()
            if let record = try await reader.record(notification: notification) { return .found(record) }
            if scheduled.contains(where: { $0.notificationID == notification.text }) {
                return .found(
                    PushRecord(
                        objectID: nil, .scheduled,
                        figures: DeliveryFigures(devices: 0, successes: 0, invalidTokens: 0)))
            }
            guard let control else { return .none }
            guard try await reader.record(notification: control) != nil else {
                return .failed(Reason(.controlMissing, .text(control.text)))
            }
            return .none
        } catch {
            return .failed(.verbatim(error.description))
        }
    }
}

extension LedgerEntry {
    /// True for a push that a service has taken, and whose figures are not known.
    package var isUncounted: Bool { figures == nil && objectID != nil && (state == .sent || state == .scheduled) }
}

extension [LedgerEntry] {
    /// The deliveries begun within a week whose records may say that the service has not handed them on, the newest
    /// first.
    package func uncounted(at now: Instant) -> [LedgerEntry] {
        let begun = filter { entry in
            let age = now - EvidenceGatherer.startOf(entry)
            return entry.isUncounted && age >= .zero && age <= .seconds(7 * 86_400)
        }
        return begun.sorted { EvidenceGatherer.startOf($0) > EvidenceGatherer.startOf($1) }
    }
}
