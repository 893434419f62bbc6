internal import JSONValue
internal import PushModel
internal import PushPlan
internal import PushPreview

extension PreviewReport {
    /// The preview as people read it: the pictures, then the bytes, then what there is to say about the files.
    var document: ReportDocument {
        let time = at.map { ", \($0.displayText)" } ?? ""
        let head = "campaign \(campaign), revision \(revision), delivery \(delivery.text)"
        return ReportDocument(parts: [
            .title(
                ReportDocument.Title(
                    workspace: workspace, remote: remote.name, aside: remote.title,
                    notes: [head, audience + time] + notes, what: "Preview of a push")),
            .section(
                ReportDocument.Section(
                    heading: "What devices show", aside: nil, blocks: [.looks(looks)], isFolded: false)),
            .section(bytes), .diagnostics(diagnostics),
        ])
    }

    private var bytes: ReportDocument.Section {
        var blocks: [ReportDocument.Block] = [.table(ReportDocument.Table(largest: largestFields))]
        if let payload {
            blocks += [.paragraph("What every device gets:"), .json(payload)]
            blocks += [.paragraph("What the delivery is carried out from:"), .json(request.body)]
        } else {
            blocks += [.paragraph("The request (\(request.endpoint.words)):"), .json(request.body)]
        }
        return ReportDocument.Section(
            heading: "What is sent", aside: Wording.size(size), blocks: blocks, isFolded: false)
    }
}

extension PushRequest.Endpoint {
    /// The call.
    fileprivate var words: String {
        switch self {
        case .push: "POST /push"
        case .devices: "POST /push/devices"
        }
    }
}

extension Report {
    /// The report as one picture: every view of what devices show; empty where there is none.
    var svg: String {
        switch self {
        case .preview(let report):
            NotificationDrawing.sheet(
                report.looks.map { NotificationDrawing($0, app: report.workspace) },
                title: "campaign \(report.campaign), revision \(report.revision)")
        case .diagnostics, .plan, .apply, .status: ""
        }
    }
}
