package import Base
package import Push

/// The preview of one campaign: its look on devices, and the exact bytes that would be sent.
package struct PreviewReport: Hashable, Sendable {
    package var workspace: String
    /// The app in pictures.
    package var app: ShownApp
    /// The remote that the request is for.
    package var remote: RemoteDescription
    package var campaign: String
    package var revision: Int
    /// The id of its delivery at this revision.
    package var delivery: DeliveryID
    package var audience: Reason
    /// The time of sending; nil to send when applied.
    package var at: OffsetInstant?
    /// The parts of its delivery; nil when it goes to everybody at once.
    package var division: Division?
    /// True if the campaign is deployed to this remote.
    package var isMeant: Bool
    /// Its look on devices, with texts from a `strings` file if one was given.
    package var looks: [NotificationLook]
    /// The request, with device tokens replaced by their number and hash.
    package var request: PushRequest
    /// The payload for every device; nil when the service builds it from the request.
    package var payload: JSONValue?
    /// The size that counts, and the limit.
    package var size: PlannedPayload
    /// The encoder's diagnostics about this campaign.
    package var diagnostics: [Diagnostic]

    package init(
        workspace: String, app: ShownApp? = nil, remote: RemoteDescription, campaign: String, revision: Int,
        delivery: DeliveryID,
        audience: Reason, at: OffsetInstant?, division: Division? = nil, isMeant: Bool = true,
        looks: [NotificationLook], request: PushRequest, payload: JSONValue?, size: PlannedPayload,
        diagnostics: [Diagnostic]
    ) {
        self.workspace = workspace
        self.app = app ?? ShownApp(name: workspace)
        self.remote = remote
        self.campaign = campaign
        self.revision = revision
        self.delivery = delivery
        self.audience = audience
        self.at = at
        self.division = division
        self.isMeant = isMeant
        self.looks = looks
        self.request = request
        self.payload = payload
        self.size = size
        self.diagnostics = diagnostics.sortedForPrinting()
    }

    /// The parts that a delivery is divided into, as far as the files tell them.
    package enum Division: Hashable, Sendable {
        /// Waves by the devices' own clocks.
        case waves(LocalSchedule)
        /// Stages that are judged.
        case stages(Rollout)
        /// Variants, and the rest, which gets one of them.
        case variants(VariantTest)
    }

    /// The fields that take most of the bytes that count, the largest first; at most five.
    var largestFields: [PayloadSize.Field] {
        Array(PayloadSize.fields(of: payload ?? request.body).prefix(5))
    }
}

// MARK: - Document

extension PreviewReport {
    /// The preview as a document: the pictures, then the bytes, then the diagnostics.
    func document(in language: Language) -> ReportDocument {
        let head = language.say(.previewed(revision: revision, delivery: delivery.text))
        let whom = language.say(.at(language.say(audience), at))
        let when = parts(in: language).map { [ReportDocument.Part.section($0)] } ?? []
        return ReportDocument(
            parts: [
                .title(
                    ReportDocument.Title(
                        headline: campaign, workspace: workspace, app: app, remote: remote.name, aside: remote.title,
                        notes: [head, whom] + (isMeant ? [] : [language.say(.notMeant(remote.name))]),
                        what: language.say(.previewTitle)))
            ] + when + [
                .section(
                    ReportDocument.Section(
                        heading: language.say(.looks), aside: nil, blocks: [.looks(looks.flatMap(\.samples))],
                        isFolded: false)),
                .section(bytes(in: language)), .diagnostics(diagnostics),
            ])
    }

    private func bytes(in language: Language) -> ReportDocument.Section {
        var blocks: [ReportDocument.Block] = [.table(ReportDocument.Table(largest: largestFields, in: language))]
        if let payload {
            blocks += [.paragraph(language.say(.everyDeviceGets)), .json(payload)]
            blocks += [.paragraph(language.say(.carriedOutFrom)), .json(request.body)]
        } else {
            blocks += [.paragraph(language.say(.theRequest(request.endpoint.words))), .json(request.body)]
        }
        return ReportDocument.Section(
            heading: language.say(.whatIsSent), aside: language.size(size), blocks: blocks, isFolded: false)
    }
}

extension PushRequest.Endpoint {
    /// The method and path of the request.
    fileprivate var words: String {
        switch self {
        case .push: "POST /push"
        case .devices: "POST /push/devices"
        }
    }
}

extension Report {
    /// The report as one picture with every view; empty for reports without notifications.
    func svg(in language: Language) -> String {
        switch self {
        case .preview(let report):
            NotificationDrawing.sheet(
                report.looks.flatMap(\.samples).map { NotificationDrawing($0, app: report.app, language: language) },
                title: language.say(.revision(of: report.campaign, report.revision)))
        case .diagnostics, .plan, .apply, .status, .history, .fleet: ""
        }
    }
}

// MARK: - Division

extension PreviewReport {
    /// The parts of the delivery with their times; nil when it is undivided.
    func parts(in language: Language) -> ReportDocument.Section? {
        guard let division else { return nil }
        let columns = language.columns([.part, .sentAtColumn, .devicesColumn])
        let rows = division.parts(at: at).map { part in
            [language.say(part.label), part.time(in: language), language.say(part.who)]
        }
        var blocks: [ReportDocument.Block] = [
            .paragraph(language.say(division.reason)),
            .table(ReportDocument.Table(columns: columns, rows: rows)),
        ]
        if case .stages = division { blocks.append(.paragraph(language.say(.stagesAreEstimates))) }
        return ReportDocument.Section(heading: language.say(.whenItIsSent), aside: nil, blocks: blocks, isFolded: false)
    }
}

extension PreviewReport.Division {
    struct Part: Hashable {
        var label: Reason
        /// The time, or the delay after whatever time it is applied at; if it is an estimate, the earliest one.
        let opening: Opening
        var isEstimate = false
        /// The devices that it reaches.
        let who: Phrase

        enum Opening: Hashable {
            case at(OffsetInstant)
            case after(Duration)
            case chosen
        }
    }

    /// The rule in words, which a plan has too.
    var reason: Reason {
        switch self {
        case .waves(let schedule): schedule.reason
        case .stages(let rollout): rollout.reason
        case .variants(let test): test.reason
        }
    }

    /// The parts in the order in which they open: all stages, but of the waves, which are as many as the clocks of the
    /// audience, those that a reader counts with.
    func parts(at start: OffsetInstant?) -> [Part] {
        switch self {
        case .waves(let schedule):
            let waves: [(Instant, Phrase)] = [
                (schedule.first.instant, .firstWave), (schedule.fallback, .devicesWithoutZone(schedule.otherwise)),
                (schedule.last, .lastWave),
            ]
            return waves.map { wave, who in
                let opensAt = schedule.reading(of: wave)
                return Part(
                    label: .verbatim(LocalSchedule.label(ofOffset: opensAt.offset)), opening: .at(opensAt), who: who)
            }
        case .stages(let rollout):
            let zero = OffsetInstant(Instant(milliseconds: 0))
            return rollout.openings(from: 1, at: start ?? zero).map { opening in
                Part(
                    label: .verbatim(opening.share.text),
                    opening: start == nil ? .after(opening.at.instant - zero.instant) : .at(opening.at),
                    isEstimate: opening.isEstimate, who: rollout.share(ofStage: opening.stage).phrase)
            }
        case .variants(let test):
            return test.arms.map { arm in
                Part(
                    label: .verbatim(arm.name), opening: start.map { .at($0) } ?? .after(.zero), who: arm.share.phrase)
            } + [Part(label: Reason(.rest), opening: .chosen, who: test.restShare.phrase)]
        }
    }
}

extension PreviewReport.Division.Part {
    fileprivate func time(in language: Language) -> String {
        switch opening {
        case .at(let time): isEstimate ? language.say(.atTheEarliest(time)) : language.time(time)
        case .after(let delay): isEstimate ? language.say(.laterAtTheEarliest(delay)) : language.say(.sendsNow)
        case .chosen: language.say(.whenChosen)
        }
    }
}

extension Share {
    fileprivate var phrase: Phrase { Phrase(text, text) }
}
