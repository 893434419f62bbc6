internal import Base
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
            if source.declares(.channel, name) {
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
            guard !source.declares(.segment, name), NameRule.resource.accepts(name),
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
            if source.declares(.deviceProfile, name) {
                draft.skip("device profile '\(name)'", "the workspace declares it", isLoss: false)
            } else if !NameRule.deviceProfile.accepts(name) {
                draft.skip("device profile '\(name)'", "its name is not \(NameRule.deviceProfile.words)")
            } else if found.appleDevices == 0, recorded[name] == nil {
                draft.skip(
                    "device profile '\(name)'",
                    "only Android devices have it: it is a vendor's configuration, which no file describes",
                    isLoss: false)
            } else {
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
