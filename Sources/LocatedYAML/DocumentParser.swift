package import Diagnostics

/// Reads YAML files into located trees.
package enum DocumentParser {
    /// Reads every document of one file.
    ///
    /// Nothing is thrown: what is wrong is collected. A file that is not clean UTF-8 gives no documents. A syntax error
    /// or a limit ends the reading where it stands and keeps the documents before it. All other errors (duplicate keys,
    /// tags, aliases, merges, `.inf`) leave the document in place and the reading goes on: what they concern is left
    /// out, or is ``Scalar/invalid``.
    ///
    /// Reading is pure: any number of threads may read at once.
    ///
    /// - Parameters:
    ///   - bytes: The whole file.
    ///   - file: Its name in diagnostics.
    package static func parse(_ bytes: [UInt8], file: String) -> (documents: [Document], diagnostics: [Diagnostic]) {
        let source = SourceText(bytes, file: file)
        let faults = source.faults()
        guard faults.isEmpty, bytes.count > source.start else { return ([], faults) }
        var reader = EventReader(bytes[source.start...])
        var builder = TreeBuilder(source)
        while !builder.isFinished {
            let offset = builder.text.count
            let event = reader.next(appendingTo: &builder.text, naming: &builder.names)
            builder.add(event, textAt: offset)
            if event.kind == .failure { builder.report(reader.problem) }
        }
        return (builder.documents, builder.diagnostics)
    }
}
