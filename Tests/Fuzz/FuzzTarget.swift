internal import FoundationEssentials

/// One reader that is given mutants.
struct FuzzTarget: Sendable {
    /// Its name, which is that of its folder in the corpus too.
    let name: String
    /// Other files of the repository that mutants are made of: folders, and how the names end.
    var files: [(folder: String, ending: String)] = []
    /// Texts that mean something to the reader.
    var words: [String] = []
    /// Seconds of a processor that any input may take; what grows with the input comes on top.
    var allowance = 0.02
    /// Makes what the reader needs, and what mutants are made of beside the files.
    let prepare: @Sendable () async throws -> Prepared

    /// What reads an input, and inputs made at the start.
    struct Prepared: Sendable {
        var inputs: [[UInt8]] = []
        let read: @Sendable ([UInt8]) async -> Void
    }

    /// All of them.
    static let all: [FuzzTarget] = [
        .yaml, .workspace, .json, .plan, .snapshot, .ledger, .answers, .routes, .catalog, .credentials, .archives,
    ]

    /// A reader that needs nothing.
    init(
        _ name: String, files: [(folder: String, ending: String)] = [], words: [String] = [],
        read: @escaping @Sendable ([UInt8]) async -> Void
    ) {
        self.init(name: name, files: files, words: words, prepare: { Prepared(read: read) })
    }

    init(
        name: String, files: [(folder: String, ending: String)] = [], words: [String] = [], allowance: Double = 0.02,
        prepare: @escaping @Sendable () async throws -> Prepared
    ) {
        (self.name, self.files, self.words, self.allowance) = (name, files, words, allowance)
        self.prepare = prepare
    }

    /// The files of its corpus, in the order of their names.
    var corpus: [[UInt8]] {
        let folders = [(folder: "Tests/Fuzz/Corpus/" + name, ending: "")] + files
        return folders.flatMap { folder, ending in
            (try? FileManager.default.subpathsOfDirectory(atPath: folder))?.sorted()
                .filter { $0.hasSuffix(ending) }
                .compactMap { FileManager.default.contents(atPath: folder + "/" + $0).map { [UInt8]($0) } } ?? []
        }
    }
}
