internal import Base
internal import Push

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
        case .diagnostics, .plan, .apply, .status, .history: ""
        }
    }
}
