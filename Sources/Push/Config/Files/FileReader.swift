internal import Base
internal import YAML

/// The content of one file; an object, because ten thousand are passed on.
final class ReadFile: Sendable {
    /// The file's name in diagnostics.
    let name: String
    let bytes: [UInt8]
    let declarations: [Declaration]
    let diagnostics: [Diagnostic]
    let secretVariables: Set<String>
    let references: [VariableReference]

    init(
        name: String, bytes: [UInt8] = [], declarations: [Declaration] = [], diagnostics: [Diagnostic] = [],
        secretVariables: Set<String> = [], references: [VariableReference] = []
    ) {
        self.name = name
        self.bytes = bytes
        self.declarations = declarations
        self.diagnostics = diagnostics
        self.secretVariables = secretVariables
        self.references = references
    }
}

/// Reads and decodes files one by one; safe on several threads.
struct FileReader: Sendable {
    let folder: WorkspaceFolder
    let naming: FileNaming

    /// Reads one file; anything but a regular file is treated as missing.
    func read(_ file: FileTree.File) -> ReadFile {
        do {
            let bytes = try Posix.contents(of: file.realPath)
            return bytes.map { read($0, as: file.path) } ?? ReadFile(name: naming.name(file.path))
        } catch {
            let found = Diagnostic(
                .error, .unreadable, "the file cannot be read: \(error.message)", at: naming.beginning(of: file.path))
            return ReadFile(name: naming.name(file.path), diagnostics: [found])
        }
    }

    /// Decodes a file whose bytes have been read.
    func read(_ bytes: [UInt8], as path: String) -> ReadFile {
        let name = naming.name(path)
        let parsed = DocumentParser.parse(bytes, file: name)
        let context = ReadingContext(folder: folder)
        context.diagnostics = parsed.diagnostics
        for anchor in parsed.documents.flatMap(\.unusedAnchors) { context.warn(of: anchor) }
        context.bytes = bytes
        let declarations = parsed.documents.compactMap(DocumentReader(context: context, file: path).declaration)
        return ReadFile(
            name: name, bytes: bytes, declarations: declarations, diagnostics: context.diagnostics,
            secretVariables: context.secretVariables, references: context.references)
    }

    /// Reads files on all cores; the results are in the order of the files.
    func read(_ files: [FileTree.File]) async -> [ReadFile] {
        let size = 64
        guard files.count > size else { return files.map(read) }
        return await withTaskGroup(of: (start: Int, files: [ReadFile]).self) { group in
            for start in stride(from: 0, to: files.count, by: size) {
                group.addTask { (start, files[start...].prefix(size).map(read)) }
            }
            let chunks = await group.reduce(into: []) { $0.append($1) }
            return chunks.sorted { $0.start < $1.start }.flatMap(\.files)
        }
    }
}
