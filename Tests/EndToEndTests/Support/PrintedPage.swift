import Foundation
import ProgramTesting
import Subprocess
import SystemPackage

/// A page of the documentation, whose commands are run as they are printed.
struct PrintedPage {
    /// A block of code, and which heading it stands under: the first is 1.
    struct Block: Equatable {
        let heading: Int
        let language: String
        var lines: [String]

        /// What a shell runs: comments are for people, and are translated.
        var commands: [String] {
            lines.map { $0.replacing(#/(^| +)# .*/#, with: "") }.filter { !$0.isEmpty }
        }
    }

    static let root = repository

    let blocks: [Block]

    /// Reads the page at a path from the project's folder.
    init(_ path: String) throws {
        var (blocks, heading, isInside) = ([Block](), 0, false)
        for line in try String(contentsOf: Self.root.appending(path: path), encoding: .utf8)
            .components(separatedBy: "\n")
        {
            if line.hasPrefix("```") {
                isInside.toggle()
                if isInside { blocks.append(Block(heading: heading, language: String(line.dropFirst(3)), lines: [])) }
            } else if isInside {
                blocks[blocks.count - 1].lines.append(line)
            } else if line.hasPrefix("## ") {
                heading += 1
            }
        }
        self.blocks = blocks
    }

    /// The environment of a reader's shell: the built programs are on its path.
    static func environment(_ more: [String: String]) throws -> [String: String] {
        let programs = try BuiltProgram.path("bugle").removingLastComponent().string
        return more.merging(["PATH": programs + ":/usr/bin:/bin", "LANG": "C.UTF-8", "USER": "tester"]) { own, _ in own
        }
    }

    /// Runs a line as a reader's shell does.
    static func shell(
        _ line: String, in folder: URL, _ environment: [String: String]
    ) async throws -> (status: Int32, output: String) {
        let all = environment.isEmpty ? ["PATH": "/usr/bin:/bin"] : environment
        let result = try await Subprocess.run(
            .path("/bin/bash"), arguments: ["-c", line + " 2>&1"],
            environment: .custom(
                Dictionary(uniqueKeysWithValues: all.map { (Environment.Key(stringLiteral: $0.key), $0.value) })),
            workingDirectory: FilePath(folder.path), output: .string(limit: 1 << 20), error: .discarded)
        guard case .exited(let status) = result.terminationStatus else { return (-1, result.standardOutput) }
        return (status, result.standardOutput)
    }
}
