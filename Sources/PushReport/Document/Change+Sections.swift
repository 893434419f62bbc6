internal import JSONValue
internal import PushModel
internal import PushPlan

extension Change {
    /// What pages and comments tell besides: how it looks, whom it reaches, and the exact request.
    var sections: [ReportDocument.Section] { [lookSection, audience?.section, requestSection].compactMap { $0 } }

    private var lookSection: ReportDocument.Section? {
        guard !looks.isEmpty else { return nil }
        let names = looks.map { $0.platform.displayName + ($0.isSilent ? ": nothing is shown" : "") }
        return ReportDocument.Section(
            heading: "What devices show", aside: names.joined(separator: ", "), blocks: [.looks(looks)])
    }

    private var requestSection: ReportDocument.Section? {
        guard let request else { return nil }
        var blocks: [ReportDocument.Block] = []
        let fields = PayloadSize.fields(of: request.body).prefix(5)
        if !fields.isEmpty { blocks.append(.table(ReportDocument.Table(largest: Array(fields)))) }
        blocks.append(.json(request.body))
        return ReportDocument.Section(
            heading: "Request", aside: payload.map { Wording.size($0) }, blocks: blocks)
    }
}

extension ReportDocument.Table {
    /// The fields that use most bytes of a request.
    init(largest fields: [PayloadSize.Field]) {
        self.init(
            columns: [
                Column(heading: "Largest fields", isNumeric: false), Column(heading: "Bytes", isNumeric: true),
            ], rows: fields.map { [$0.name, Wording.number($0.bytes)] })
    }
}

extension Platform {
    /// As people call its devices.
    var displayName: String {
        switch self {
        case .ios: "iPhone"
        case .android: "Android"
        }
    }
}
