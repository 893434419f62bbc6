package import Base

/// Reads YAML files into located trees.
package enum DocumentParser {
    /// Reads every document of one file.
    ///
    /// Nothing is thrown: errors are collected. A file that is not clean UTF-8 gives no documents. A syntax error or an
    /// exceeded limit ends the reading there and keeps the documents before it. After any other error (duplicate keys,
    /// tags, aliases, merges, `.inf`) reading goes on and the document is kept: the affected values are left out, or
    /// are ``Scalar/invalid``.
    ///
    /// Reading is pure: any number of threads may read at once.
    ///
    /// - Parameters:
    ///   - bytes: The whole file.
    ///   - file: Its name in diagnostics.
    /// - Returns: The documents that were kept, and the errors.
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
