internal import FoundationEssentials
internal import Testing

/// Compares a text with the file of that name in `Goldens`; with `BUGLE_RECORD=1` in the environment, writes it.
func expectGolden(_ text: String, _ name: String, sourceLocation: SourceLocation = #_sourceLocation) throws {
    let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Goldens")
    let file = folder.appending(path: name)
    if ProcessInfo.processInfo.environment["BUGLE_RECORD"] == "1" {
        try FileManager.default.createDirectory(
            at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(text.utf8).write(to: file)
    }
    let golden = String(decoding: try Data(contentsOf: file), as: UTF8.self)
    #expect(text == golden, "run the tests with BUGLE_RECORD=1 to record \(name)", sourceLocation: sourceLocation)
}
