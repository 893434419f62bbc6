internal import Base

extension WorkspaceAssembly {
    /// Completes a campaign with everything that other documents decide, and checks it against them.
    mutating func finished(_ declared: DeclaredCampaign) -> Campaign {
        var campaign = declared.campaign
        let audience = campaign.audience
        // A name that no document can declare was reported where it stands.
        for (index, name) in audience.channels.enumerated()
        where !channelNames.contains(name) && NameRule.channel.accepts(name) {
            reportMissing(channelNames.missing(name), campaign, ["audience", "channels", .index(index)])
        }
        for (index, name) in audience.segments.enumerated()
        where !segmentNames.contains(name) && NameRule.resource.accepts(name) {
            reportMissing(segmentNames.missing(name), campaign, ["audience", "segments", .index(index)])
        }
        if let name = audience.deviceProfile, !profileNames.contains(name), NameRule.deviceProfile.accepts(name) {
            reportMissing(profileNames.missing(name), campaign, ["audience", "deviceProfile"])
        }
        for (index, name) in (campaign.remotes ?? []).enumerated() where !remoteNames.contains(name) {
            let ending = remoteSuggestions.ending(for: name)
            reportMissing(
                ("remote \(quoted(name)) is not declared\(ending)", nil), campaign, ["remotes", .index(index)])
        }
        let profile = audience.deviceProfile.flatMap { profilesByName[$0] }
        campaign.environment = declared.environment ?? profile?.environment ?? .production
        if let profile { check(campaign, against: profile) }
        campaign.languageField = policy?.languageField
        campaign.holdout = policy?.holdout.flatMap { $0.exempts(campaign.labels) ? nil : $0 }
        campaign.frequency = policy?.frequency.filter { !$0.exempts(campaign.labels) } ?? []
        if !campaign.message.languages.isEmpty, campaign.languageField == nil {
            diagnostics.append(
                Diagnostic(
                    .error, .missingKey, "'message.languages' needs the field in which devices report their language",
                    at: campaign.origin.range(of: ["message", "languages"]),
                    help: "name it in bugle.yaml: policy: {languageField: language}"))
        }
        if let strings { checkKeys(campaign, strings) }
        campaign.events = policy?.events
        if campaign.events != nil { checkPayloadKey(campaign) }
        if campaign.rollout?.stopWhen.opened != nil { checkOpened(campaign) }
        if !declared.emptyOn.isEmpty { checkContent(campaign, emptyOn: declared.emptyOn) }
        return campaign
    }

    /// Checks that a campaign leaves the member of its payload alone by which apps know its delivery.
    private mutating func checkPayloadKey(_ campaign: Campaign) {
        let key = EventPolicy.payloadKey
        for (content, path) in campaign.message.appleContents {
            func report(_ field: ContentField) {
                diagnostics.append(
                    Diagnostic(
                        .error, .conflictingKeys,
                        "\(quoted(key)) in the payload names the delivery, since 'policy.events' is declared",
                        at: campaign.origin.range(of: path(field)), help: "use another name"))
            }
            if content.data?[key] != nil { report(.data) }
            if content.deliveryKey == key { report(.deliveryKey) }
        }
    }

    /// Checks that somebody can open a campaign, and that it is counted.
    private mutating func checkOpened(_ campaign: Campaign) {
        let place = campaign.origin.range(of: ["rollout", "stopWhen", "opened"])
        if campaign.events == nil {
            diagnostics.append(
                Diagnostic(
                    .error, .missingKey, "'opened' needs devices to report what was opened", at: place,
                    help: "let bugle.yaml count it: policy: {events: {keep: 7d}}"))
        }
        let type = campaign.message.content(for: .ios).effectivePushType
        if type != .alert {
            diagnostics.append(
                Diagnostic(
                    .error, .conflictingKeys, "nobody opens a push of type '\(type.rawValue)'", at: place,
                    help: "leave 'opened' out, or send an alert"))
        }
    }

    /// Looks up the keys of a campaign's texts in the app's catalogs.
    private mutating func checkKeys(_ campaign: Campaign, _ strings: StringCatalog) {
        guard campaign.audience.possiblePlatforms(segments: segmentsByName).contains(.ios) else { return }
        for (content, path) in campaign.message.appleContents {
            for (field, text) in [
                (ContentField.title, content.title), (.subtitle, content.subtitle), (.body, content.body),
            ] {
                guard case .localized(let key, let arguments) = text else { continue }
                diagnostics += strings.mistakes(inKey: key, arguments: arguments.count).map {
                    diagnostic($0, key, arguments.count, at: campaign.origin.range(of: path(field)), strings.source)
                }
            }
        }
    }

    private func diagnostic(
        _ mistake: StringCatalog.Mistake, _ key: String, _ count: Int, at place: SourceRange, _ source: String
    ) -> Diagnostic {
        switch mistake {
        case .unknown(let nearest):
            return Diagnostic(
                .error, .unknownReference,
                "no string catalog has the key \(quoted(key))"
                    + (nearest.map { "; did you mean \(quoted($0))?" } ?? ""),
                at: place, help: "devices would show the key itself")
        case .untranslated(let languages):
            return Diagnostic(
                .warning, .unknownReference,
                "the key \(quoted(key)) has no text in \(languages.joined(separator: ", "))", at: place,
                help: "devices in other languages than its own show the text in \(source)")
        case .takes(let number, let language):
            return Diagnostic(
                .error, .invalidValue,
                "the text of \(quoted(key)) in \(language) takes \(number) argument\(number == 1 ? "" : "s"), not \(count)",
                at: place, help: "write as many 'args'")
        }
    }

    /// Checks that there is a remote on which events are counted.
    mutating func checkEvents(_ remotes: [RemoteDeclaration], _ origin: Origin) {
        let hasJournal = remotes.contains { remote in
            switch remote.service {
            case .apns: true
            case .leancloud: false
            }
        }
        guard policy?.events != nil, !remotes.isEmpty, !hasJournal else { return }
        diagnostics.append(
            Diagnostic(
                .error, .notSupported, "LeanCloud does not tell which devices it sent to: it cannot count their events",
                at: origin.range(of: ["policy", "events"]),
                help: "add a remote of 'type: apns' with the same devices as its 'registry'"))
    }

    private mutating func reportMissing(
        _ reference: (message: String, help: String?), _ campaign: Campaign, _ path: [FieldPathElement]
    ) {
        diagnostics.append(
            Diagnostic(
                .error, .unknownReference, reference.message, at: campaign.origin.range(of: path),
                help: reference.help))
    }

    private mutating func check(_ campaign: Campaign, against profile: DeviceProfile) {
        if campaign.environment != profile.environment {
            let message =
                "'environment' is \(campaign.environment.rawValue), but device profile "
                + "\(quoted(profile.name)) is for \(profile.environment.rawValue)"
            diagnostics.append(
                Diagnostic(.error, .conflictingKeys, message, at: campaign.origin.range(of: ["environment"])))
        }
        let pushType = campaign.message.content(for: .ios).effectivePushType
        guard campaign.audience.platforms != [.android], let only = PushType(ofTopic: profile.topic),
            only != pushType
        else { return }
        let message = "topic \(quoted(profile.topic)) fits push type \(only.rawValue) only, not \(pushType.rawValue)"
        diagnostics.append(
            Diagnostic(.error, .pushType, message, at: campaign.origin.range(of: ["audience", "deviceProfile"])))
    }

    private mutating func checkContent(_ campaign: Campaign, emptyOn: Set<Platform>) {
        var possible = campaign.audience.possiblePlatforms(segments: segmentsByName)
        // Declared profiles are for Apple devices only.
        if campaign.audience.deviceProfile != nil { possible.formIntersection([.ios]) }
        let empty = possible.intersection(emptyOn)
        guard !empty.isEmpty else { return }
        let place = campaign.origin.range(of: ["message"])
        if empty == possible {
            diagnostics.append(
                Diagnostic(
                    .error, .emptyMessage, "the message has nothing to show and no 'contentAvailable'", at: place))
        } else {
            let names = empty.sorted().map(\.rawValue).joined(separator: " and ")
            diagnostics.append(
                Diagnostic(
                    .warning, .emptyMessage, "the message has nothing to show on \(names)", at: place,
                    help: "narrow audience.platforms if that is intended"))
        }
    }
}

extension WorkspaceAssembly {
    /// Checks that no other campaign has or had a former name.
    mutating func checkFormerNames() {
        var owners: [String: String] = [:]
        for campaign in campaigns.lazy.filter({ !$0.campaign.formerly.isEmpty }).map(\.campaign) {
            for name in campaign.formerly where name != campaign.name {
                let other: String
                if let existing = campaignNames[name] {
                    other = "is the name of another campaign, in \(existing.range(of: ["name"]).shortText)"
                } else if let owner = owners[name] {
                    other = "is also a former name of campaign \(quoted(owner))"
                } else {
                    owners[name] = campaign.name
                    continue
                }
                diagnostics.append(
                    Diagnostic(
                        .error, .duplicateName, "\(quoted(name)) \(other)",
                        at: campaign.origin.range(of: ["formerly"])))
            }
        }
    }

    /// Checks that an environment has at most one profile for installations that name none.
    mutating func checkDefaultProfiles() {
        var first: [PushEnvironment: DeviceProfile] = [:]
        for profile in profiles where profile.isDefault {
            guard let other = first[profile.environment] else {
                first[profile.environment] = profile
                continue
            }
            let place = other.origin.range(of: ["default"])
            let message =
                "device profile \(quoted(other.name)) is already the default "
                + "of \(profile.environment.rawValue), in \(place.shortText)"
            diagnostics.append(
                Diagnostic(
                    .error, .conflictingKeys, message, at: profile.origin.range(of: ["default"]),
                    related: [.init("the first", at: place)]))
        }
    }

    /// Checks that no field that is sent or shown names a variable that holds a secret.
    mutating func checkSecretReferences(_ files: [ReadFile]) {
        let secrets = files.reduce(into: Set<String>()) { $0.formUnion($1.secretVariables) }
        for reference in files.lazy.flatMap(\.references) where secrets.contains(reference.variable) {
            let message =
                "\(quoted(reference.field)) refers to \(quoted(reference.variable)), "
                + "which holds a secret of this workspace"
            diagnostics.append(Diagnostic(.error, .secretReference, message, at: reference.range))
        }
    }
}
