internal import ArgumentParser
internal import Base
internal import Push

/// What a shell completes from the workspace at hand, in the folder or the one that -C names.
enum WorkspaceNames {
    /// The names of remotes.
    static let remotes = completion { $0.remotes.keys.sorted() }
    /// The names of campaigns.
    static let campaigns = completion { $0.campaigns.map(\.name) }
    /// The values of `--target`.
    static let targets = completion(\.targetTexts)

    /// Files that cannot be read complete nothing, and say nothing: somebody is in the middle of a line.
    private static func completion(_ names: @escaping @Sendable (Workspace) -> [String]) -> CompletionKind {
        .custom { words, _, _ async -> [String] in
            let option = words.lastIndex(of: "-C").map { $0 + 1 }
            let chosen = option.flatMap { words.indices.contains($0) ? words[$0] : nil }
            guard let place = try? WorkspaceFinder.find(chosen: chosen) else { return [] }
            let loaded = await WorkspaceLoader.load(directory: place.directory, displayedAs: place.displayName)
            return loaded.readable.map { written(names($0), for: CompletionShell.requesting) } ?? []
        }
    }

    /// The names as a shell takes them: bash expands what it is given, and zsh ends a word at a colon. A name with a
    /// character that nobody sees is none to choose.
    static func written(_ names: [String], for shell: CompletionShell?) -> [String] {
        let visible = names.filter { name in !name.unicodeScalars.contains(where: HiddenCharacters.contain) }
        return switch shell {
        case .bash: visible.map(\.shellWord)
        case .zsh: visible.map { $0.replacing("\\", with: "\\\\").replacing(":", with: "\\:") }
        default: visible
        }
    }
}
