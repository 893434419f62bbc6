internal import Base
internal import Push

extension Change {
    /// The sections for pages and comments: its look, its audience, and the exact request.
    func sections(in language: Language) -> [ReportDocument.Section] {
        [lookSection(in: language), audience?.section(in: language), requestSection(in: language)].compactMap(\.self)
    }

    private func lookSection(in language: Language) -> ReportDocument.Section? {
        guard !looks.isEmpty else { return nil }
        let names = looks.map { look in
            let name = look.caption
            return look.isSilent ? language.say(.showsNothing(name)) : name
        }
        return ReportDocument.Section(
            heading: language.say(.looks), aside: language.list(names), blocks: [.looks(looks.map(\.byDefault))])
    }

    private func requestSection(in language: Language) -> ReportDocument.Section? {
        guard let request else { return nil }
        var blocks: [ReportDocument.Block] = []
        let fields = PayloadSize.fields(of: request.body).prefix(5)
        if !fields.isEmpty { blocks.append(.table(ReportDocument.Table(largest: Array(fields), in: language))) }
        blocks.append(.json(request.body))
        return ReportDocument.Section(
            heading: language.say(.request), aside: payload.map(language.size), blocks: blocks)
    }
}

extension ReportDocument.Table {
    /// The fields that take most bytes of a request.
    init(largest fields: [PayloadSize.Field], in language: Language) {
        self.init(
            columns: [
                Column(heading: language.say(.largestColumn), isNumeric: false),
                Column(heading: language.say(.bytesColumn), isNumeric: true),
            ], rows: fields.map { [$0.name, $0.bytes.grouped] })
    }
}
