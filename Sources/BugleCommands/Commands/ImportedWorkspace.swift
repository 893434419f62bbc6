internal import Base
internal import LeanCloud
internal import Push

/// Turns the channels, segments and profiles of a remote into documents.
struct ImportedResources {
    let source: ImportSource
    let contents: ImportContents
    /// The minimum number of subscribers; smaller channels are left out.
    let leastSubscribers: Int

    private var survey: InstallationSurvey { contents.survey }

    private func records(_ kind: ResourceKind) -> [String: ResourceRecord] {
        Dictionary(contents.resources.filter { $0.kind == kind }.map { ($0.name, $0) }) { first, _ in first }
    }

    // MARK: Channels

    /// The channels of an app, as an import sorts them.
    struct SortedChannels {
        /// The files to write, by name.
        fileprivate var files: [String: String] = [:]
        fileprivate var (rare, declared) = (0, 0)
        /// Names that break the rule.
        fileprivate var odd: [String] = []

        /// The files to write, in the order of names.
        var documents: [String] { files.sorted { $0.key < $1.key }.map(\.value) }
    }

    /// Sorts the channels; `named` are those that imported campaigns name, with the number of the push.
    func channels(named: [String: Int64]) -> SortedChannels {
        let recorded = records(.channel)
        var sorted = SortedChannels()
        for name in Set(survey.channels.keys).union(recorded.keys).union(named.keys) {
            let count = survey.channels[name] ?? 0
            if source.bench.loaded.declares(.channel, name) {
                sorted.declared += 1
            } else if !NameRule.channel.accepts(name) {
                sorted.odd.append(name)
            } else if count < leastSubscribers, recorded[name] == nil, named[name] == nil {
                sorted.rare += 1
            } else {
                sorted.files[name] = Self.channel(name, recorded[name], subscribers: count, push: named[name])
            }
        }
        return sorted
    }

    /// Says which channels are left out, and why.
    func report(_ channels: SortedChannels, to draft: inout ImportDraft) {
        let (rare, declared, odd) = (channels.rare, channels.declared, channels.odd)
        if declared > 0 { draft.skip("\(grouped(declared)) channels", "the workspace declares them", isLoss: false) }
        if rare > 0 {
            draft.skip(
                "\(grouped(rare)) channels", "they have fewer than \(grouped(leastSubscribers)) subscribers",
                isLoss: false)
        }
        for name in odd.sorted().prefix(20) {
            draft.skip("channel '\(name)'", "its name is not \(NameRule.channel.words)")
        }
        if odd.count > 20 { draft.skip("\(grouped(odd.count - 20)) more channels", "their names break the same rule") }
        if survey.threshold > 0 {
            draft.remarks.append(
                "there are more than \(grouped(InstallationSurvey.mostChannels)) names of channels: those of "
                    + "\(grouped(survey.threshold)) subscribers or fewer were left out, and counts may be too low by that"
            )
        }
    }

    private static func channel(_ name: String, _ record: ResourceRecord?, subscribers: Int, push: Int64?) -> String {
        var channel = Channel(name: name, origin: Origin(file: "", line: 1))
        channel.description = record?.fields["description"]?.string
        if let topic = record?.fields["broadcast"]?["topic"]?.string {
            let storage = (record?.fields["broadcast"]?["storage"]?.string).flatMap { text in
                Channel.Broadcast.Storage(rawValue: text)
            }
            channel.broadcast = Channel.Broadcast(topic: topic, storage: storage ?? .none)
        }
        var comments = ["\(grouped(subscribers)) installations subscribe to it"]
        if subscribers == 0, let push {
            comments = ["no installation subscribes to it; scheduled push \(push) names it"]
        }
        return ConfigurationText.text(of: channel, comments: comments)
    }

    // MARK: Segments

    /// Returns documents for the deployed segments that are not declared, sorted by name.
    func segments() -> [String] {
        records(.segment).sorted { $0.key < $1.key }.compactMap { name, record in
            guard !source.bench.loaded.declares(.segment, name), NameRule.resource.accepts(name),
                let condition = record.fields["where"],
                condition.object != nil
            else { return nil }
            return ConfigurationText.text(
                of: Segment(
                    name: name, origin: Origin(file: "", line: 1), description: record.fields["description"]?.string,
                    condition: condition))
        }
    }

    // MARK: Profiles

    /// Returns documents for the profiles that Apple devices have or that were deployed, and that are not declared.
    func profiles(_ draft: inout ImportDraft) -> [String] {
        let recorded = records(.deviceProfile)
        var documents: [String] = []
        for name in Set(survey.profiles.keys).union(recorded.keys).sorted() where !name.isEmpty {
            let found = survey.profiles[name] ?? InstallationSurvey.Profile()
            if source.bench.loaded.declares(.deviceProfile, name) {
                draft.skip("device profile '\(name)'", "the workspace declares it", isLoss: false)
            } else if !NameRule.deviceProfile.accepts(name) {
                draft.skip("device profile '\(name)'", "its name is not \(NameRule.deviceProfile.words)")
            } else if found.appleDevices > 0 || recorded[name] != nil {
                documents.append(Self.profile(name, recorded[name], found).text)
            }
        }
        let hasDefault =
            source.workspace.deviceProfiles.contains(where: \.isDefault)
            || recorded.values.contains { $0.fields["default"] == true }
        if let unnamed = survey.profiles[""], unnamed.appleDevices > 0, !hasDefault {
            let topics = Self.list(unnamed.topics)
            draft.remarks.append(
                "\(grouped(unnamed.appleDevices)) Apple devices name no device profile"
                    + (topics.isEmpty ? "" : " (topics: \(topics))")
                    + "; declare one with 'default: true' to have its certificate or key checked")
        }
        return documents + androidProfiles(&draft)
    }

    /// Returns documents for the services of Android devices, one for each name that installations give it.
    private func androidProfiles(_ draft: inout ImportDraft) -> [String] {
        var documents: [String] = []
        var others: [String: Int] = [:]
        for (name, found) in survey.profiles.sorted(by: { $0.key < $1.key }) {
            for (word, devices) in found.vendors.sorted(by: { $0.key < $1.key }) {
                guard let vendor = PushVendor(rawValue: word), vendor != .apns else {
                    others[word.isEmpty ? "no vendor" : word, default: 0] += devices
                    continue
                }
                var profile = UnfinishedProfile(name: name.isEmpty ? "android-\(word)" : "\(word)-\(name)")
                let isServed = source.workspace.deviceProfiles.contains {
                    $0.vendor == vendor && ($0.installations == name || name.isEmpty && $0.isDefault)
                }
                if isServed || source.bench.loaded.declares(.deviceProfile, profile.name) {
                    draft.skip("device profile '\(profile.name)'", "the workspace declares it", isLoss: false)
                } else if !NameRule.deviceProfile.accepts(profile.name) {
                    draft.skip("device profile '\(profile.name)'", "its name is not \(NameRule.deviceProfile.words)")
                } else {
                    (profile.vendor, profile.environment) = (vendor, PushEnvironment.production.rawValue)
                    (profile.installations, profile.isDefault) = (name.isEmpty ? nil : name, name.isEmpty)
                    profile.comments = ["\(grouped(devices)) Android devices have it"]
                    documents.append(profile.text)
                }
            }
        }
        if !others.isEmpty {
            draft.remarks.append("Android devices of services that bugle does not reach: " + Self.list(others))
        }
        return documents
    }

    private static func profile(
        _ name: String, _ record: ResourceRecord?, _ found: InstallationSurvey.Profile
    ) -> UnfinishedProfile {
        var profile = UnfinishedProfile(name: name)
        profile.environment = record?.fields["environment"]?.string
        profile.topic = record?.fields["topic"]?.string ?? only(found.topics, NameRule.bundleIdentifier)
        profile.isDefault = record?.fields["default"] == true
        profile.isProtected = record?.isProtected ?? false
        profile.teamId = record?.fields["teamId"]?.string ?? only(found.teams, NameRule.appleIdentifier)
        profile.keyId = record?.fields["keyId"]?.string
        profile.comments = ["\(grouped(found.appleDevices)) Apple devices have it"]
        if let print = record?.fields["certificate"]?.string ?? record?.fields["key"]?.string {
            profile.comments.append("what was deployed has the fingerprint \(print)")
        }
        if !found.topics.isEmpty { profile.topicHints = ["installations name: \(list(found.topics))"] }
        return profile
    }

    /// Returns the value if there is only one and it is valid.
    private static func only(_ counts: [String: Int], _ rule: NameRule) -> String? {
        guard counts.count == 1, let value = counts.keys.first, rule.accepts(value) else { return nil }
        return value
    }

    private static func list(_ counts: [String: Int]) -> String {
        counts.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.prefix(5)
            .map { "\($0.key) (\(grouped($0.value)))" }.joined(separator: ", ")
    }
}

/// Turns the scheduled pushes of a remote into campaigns.
///
/// A campaign is only written if its own text, read back within the workspace and encoded again, gives an equivalent
/// request: nothing is changed silently.
struct ImportedCampaigns {
    let source: ImportSource
    let contents: ImportContents

    /// A push that may become a campaign.
    struct Candidate {
        let push: KeptPush
        let request: PushRequest
        let hasExpiration: Bool
        let name: String
        /// The possible campaigns for it, the best first.
        var options: [Campaign]
        /// The error with the first of them.
        var reason: String?
        /// A remark to write into the file.
        var remark: String?

        /// The file's path in the workspace.
        var path: String { "\(ImportDraft.folder)/campaigns/\(name).yaml" }
        /// The name used in messages.
        var title: String { ImportedCampaigns.title(of: push) }
    }

    static func title(of push: KeptPush) -> String { "scheduled push \(push.push.id) for \(push.push.at.text)" }

    /// Returns the pushes that may become campaigns; the others are added to the skipped ones.
    func candidates(_ draft: inout ImportDraft, exists: (String) -> Bool) -> [Candidate] {
        var found: [Candidate] = []
        for push in contents.unmanaged {
            let title = Self.title(of: push)
            do throws(Inexpressible) {
                let request = try KeptRequest(push).request
                let decoder = try LeanCloudDecoder(request)
                let name = CampaignName.make(for: push)
                let options = decoder.campaigns(named: name, origin: Origin(file: "", line: 1))
                let candidate = Candidate(
                    push: push, request: request, hasExpiration: decoder.hasExpiration, name: name, options: options)
                if push.push.at <= contents.now {
                    draft.skip(title, "it is due")
                } else if source.bench.loaded.declares(.campaign, name) {
                    draft.skip(title, "the workspace declares campaign '\(name)'", isLoss: false)
                } else if exists(candidate.path) {
                    draft.skip(title, "\(candidate.path) already exists")
                } else {
                    found.append(candidate)
                }
            } catch {
                draft.skip(title, "it \(error.description)")
            }
        }
        return found
    }

    /// Returns the candidates that give the same requests within the workspace; `channels` are the channels about to be
    /// declared, as documents.
    func settled(_ candidates: [Candidate], channels: [String], _ draft: inout ImportDraft) async -> [Candidate] {
        var open = candidates
        var settled: [Candidate] = []
        while !open.isEmpty {
            let loaded = await load(settled + open, channels)
            var next: [Candidate] = []
            for var candidate in open {
                let verdict = verdict(on: candidate, in: loaded)
                candidate.remark = verdict.remark
                guard let reason = verdict.reason else {
                    settled.append(candidate)
                    continue
                }
                candidate.reason = candidate.reason ?? reason
                candidate.options.removeFirst()
                if candidate.options.isEmpty {
                    draft.skip(candidate.title, candidate.reason ?? reason)
                } else {
                    next.append(candidate)
                }
            }
            open = next
        }
        return settled.sorted { ($0.push.push.at, $0.push.push.id) < ($1.push.push.at, $1.push.push.id) }
    }

    private func load(_ candidates: [Candidate], _ channels: [String]) async -> LoadedWorkspace {
        let bench = source.bench
        let parts = stride(from: 0, to: channels.count, by: ImportDraft.documentsPerFile).map { start in
            let end = min(start + ImportDraft.documentsPerFile, channels.count)
            return (
                path: "\(ImportDraft.folder)/new-channels-\(start).yaml",
                text: channels[start..<end].joined(separator: "---\n")
            )
        }
        return await WorkspaceLoader.load(
            directory: bench.loaded.folder, displayedAs: bench.displayName,
            adding: parts + candidates.map { (path: $0.path, text: text(of: $0)) })
    }

    private func verdict(on candidate: Candidate, in loaded: LoadedWorkspace) -> (reason: String?, remark: String?) {
        func isOwn(_ diagnostic: Diagnostic) -> Bool {
            diagnostic.severity == .error && diagnostic.range?.file.hasSuffix(candidate.path) == true
        }
        if let fault = loaded.diagnostics.first(where: isOwn) { return (fault.message, nil) }
        guard var workspace = loaded.readable,
            let campaign = workspace.campaigns.first(where: { $0.name == candidate.name })
        else { return ("the workspace cannot be read with it", nil) }
        let encoded = Checker.request(of: campaign, in: workspace, encoder: LeanCloudEncoder())
        if let fault = encoded.findings.first(where: { $0.severity == .error }) { return (fault.message, nil) }
        workspace.campaigns = [campaign]
        if let fault = Checker.policyFindings(workspace).first(where: isOwn) { return (fault.message, nil) }
        do throws(Inexpressible) {
            let differences = try LeanCloudDecoder.differences(between: candidate.request, and: encoded.request)
            let real = differences.filter { $0 != .addedTopic }
            if real.isEmpty {
                let topic = encoded.request.body["topic"]?.string ?? ""
                return (nil, differences.isEmpty ? nil : "The workspace's device profile adds the topic \(topic).")
            }
            if real == [.topic] {
                return (
                    "it names a topic or team that no declared device profile with a token has: declare one first", nil
                )
            }
            let words = real.map(\.rawValue).joined(separator: ", ")
            return ("a campaign cannot express it exactly: it would change \(words)", nil)
        } catch {
            return ("the request of its campaign \(error.description)", nil)
        }
    }

    /// Returns the file of a candidate: it is on hold, because the remote will send the existing push itself.
    func text(of candidate: Candidate) -> String {
        guard var campaign = candidate.options.first else { return "" }
        let push = candidate.push.push
        campaign.hold = true
        var comments = ["Made by 'bugle import' of scheduled push \(push.id) on \(source.remote.name)."]
        if !candidate.hasExpiration {
            comments.append("The service's list names no expiration: if the push has one, say it here.")
        }
        if let remark = candidate.remark { comments.append(remark) }
        return ConfigurationText.text(
            of: campaign, comments: comments,
            holdComments: [
                "\(source.remote.name) still has that push and will send it. Before this line is removed, cancel it",
                "in the console or with DELETE /1.1/scheduledPushMessages/\(push.id), or devices get it twice.",
            ])
    }
}

/// Makes up names for imported campaigns.
enum CampaignName {
    /// The maximum length of a campaign's name.
    private static let longest = 63

    /// `scheduled-12-giants-scored`: the push's number, which is unique, and the first words of its text.
    static func make(for push: KeptPush) -> String {
        let words = slug(text(of: push.message["msg"] ?? push.message["data"] ?? [:]))
        let start = "scheduled-\(push.push.id.magnitude)"
        guard !words.isEmpty else { return start }
        var name = Substring("\(start)-\(words)").prefix(longest)
        while name.hasSuffix("-") { name.removeLast() }
        return String(name)
    }

    private static func text(of data: JSONValue) -> String {
        for place in [data, data["ios"] ?? [:], data["aps"] ?? [:], data["android"] ?? [:]] {
            let alert = place["alert"]
            if let text = alert?.string ?? alert?["body"]?.string ?? alert?["title"]?.string { return text }
        }
        return ""
    }

    /// Lower-case letters and digits, with one `-` for everything else; at most about forty characters, cut between
    /// words.
    static func slug(_ text: String) -> String {
        var words: [String] = []
        var length = 0
        for word in text.prefix(400).lowercased().split(whereSeparator: { !isPlain($0) }) {
            length += word.utf8.count + 1
            if length > 40 { break }
            words.append(String(word))
        }
        return words.joined(separator: "-")
    }

    private static func isPlain(_ character: Character) -> Bool {
        ("a"..."z").contains(character) || ("0"..."9").contains(character)
    }
}
