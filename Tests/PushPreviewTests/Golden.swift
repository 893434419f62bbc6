internal import FoundationEssentials
internal import Testing

/// Compares a drawing with the file of that name in `Goldens`; with `BUGLE_RECORD=1` in the environment, writes it.
func expectDrawing(_ text: String, _ name: String, sourceLocation: SourceLocation = #_sourceLocation) throws {
    let file = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Goldens").appending(path: name)
    if ProcessInfo.processInfo.environment["BUGLE_RECORD"] == "1" { try Data(text.utf8).write(to: file) }
    let golden = String(decoding: try Data(contentsOf: file), as: UTF8.self)
    #expect(text == golden, "run the tests with BUGLE_RECORD=1 to record \(name)", sourceLocation: sourceLocation)
}
