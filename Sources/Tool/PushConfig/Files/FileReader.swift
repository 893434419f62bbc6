internal import Diagnostics
internal import LocatedYAML

/// The content of one file.
struct ReadFile: Sendable {
    /// The file's name in diagnostics.
    var name: String
    var bytes: [UInt8] = []
    var declarations: [Declaration] = []
    var diagnostics: [Diagnostic] = []
    var secretVariables: Set<String> = []
    var references: [VariableReference] = []
}

/// Reads and decodes files one by one; safe on several threads.
struct FileReader: Sendable {
    let folder: WorkspaceFolder
    let naming: FileNaming

    /// Reads one file; anything but a regular file is treated as missing.
    func read(_ file: FileTree.File) -> ReadFile {
        var result = ReadFile(name: naming.name(file.path))
        do {
            guard let bytes = try Posix.contents(of: file.realPath) else { return result }
            result.bytes = bytes
        } catch {
            result.diagnostics = [
                Diagnostic(
                    .error, .unreadable, "the file cannot be read: \(error.message)",
                    at: naming.beginning(of: file.path))
            ]
            return result
        }
        decode(file.path, into: &result)
        return result
    }

    /// Decodes a file that is not on the disk yet.
    func read(_ bytes: [UInt8], as path: String) -> ReadFile {
        var result = ReadFile(name: naming.name(path), bytes: bytes)
        decode(path, into: &result)
        return result
    }

    /// Decodes a file whose bytes have been read.
    private func decode(_ path: String, into result: inout ReadFile) {
        let parsed = DocumentParser.parse(result.bytes, file: result.name)
        let context = ReadingContext(folder: folder)
        context.diagnostics = parsed.diagnostics
        context.bytes = result.bytes
        let reader = DocumentReader(context: context, file: path)
        for document in parsed.documents {
            if let declaration = reader.declaration(of: document) { result.declarations.append(declaration) }
        }
        result.diagnostics = context.diagnostics
        result.secretVariables = context.secretVariables
        result.references = context.references
    }

    /// Reads files on all cores; the results are in the order of the files.
    func read(_ files: [FileTree.File]) async -> [ReadFile] {
        let size = 64
        guard files.count > size else { return files.map(read) }
        return await withTaskGroup(of: (chunk: Int, files: [ReadFile]).self) { group in
            let starts = Array(stride(from: 0, to: files.count, by: size))
            for (chunk, start) in starts.enumerated() {
                group.addTask { (chunk, files[start..<min(start + size, files.count)].map(read)) }
            }
            var chunks: [[ReadFile]] = Array(repeating: [], count: starts.count)
            for await result in group { chunks[result.chunk] = result.files }
            var results: [ReadFile] = []
            results.reserveCapacity(files.count + 1)
            for chunk in chunks { results += chunk }
            return results
        }
    }
}
