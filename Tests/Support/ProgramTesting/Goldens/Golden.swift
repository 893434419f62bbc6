package import FoundationEssentials
package import Testing

/// Compares a text with the file of that name in `Goldens` beside the test; with `BUGLE_RECORD=1` in the environment,
/// writes it.
package func expectGolden(
    _ text: String, _ name: String, test: String = #filePath, sourceLocation: SourceLocation = #_sourceLocation
) throws {
    let folder = URL(filePath: test).deletingLastPathComponent().appending(path: "Goldens")
    try expectFile(text, at: folder.appending(path: name), sourceLocation: sourceLocation)
}

/// Compares a text with a file; with `BUGLE_RECORD=1` in the environment, writes it.
package func expectFile(_ text: String, at file: URL, sourceLocation: SourceLocation = #_sourceLocation) throws {
    if ProcessInfo.processInfo.environment["BUGLE_RECORD"] == "1" {
        try FileManager.default.createDirectory(
            at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(text.utf8).write(to: file)
    }
    let golden = String(decoding: try Data(contentsOf: file), as: UTF8.self)
    #expect(
        text == golden, "run the tests with BUGLE_RECORD=1 to record \(file.lastPathComponent)",
        sourceLocation: sourceLocation)
}
