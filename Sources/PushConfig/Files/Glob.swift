/// A pattern of paths: `*` any characters but `/`, `?` one of them, `**` any number of folders.
///
/// A pattern without `/` fits a name in every folder, one with `/` is read from the workspace's folder. A pattern that
/// fits a folder fits everything in it.
struct Glob: Hashable, Sendable {
    private let parts: [[Unicode.Scalar]]
    private let isAnchored: Bool

    /// Reads a pattern; a leading `/` or `./` and a trailing `/` do not count.
    init(_ pattern: String) {
        var text = Substring(pattern)
        if text.hasPrefix("./") { text = text.dropFirst(2) }
        var parts: [[Unicode.Scalar]] = []
        for part in text.split(separator: "/").map({ Array($0.unicodeScalars) }) {
            // Two in a row mean what one does, and would be tried in every combination.
            if part == ["*", "*"], parts.last == part { continue }
            parts.append(part)
        }
        self.parts = parts
        isAnchored = parts.count > 1 || text.hasPrefix("/")
    }

    /// Whether it fits a path relative to the workspace; the folders above it are not looked at.
    func matches(_ path: String) -> Bool {
        let names = path.split(separator: "/").map { Array($0.unicodeScalars) }
        guard !parts.isEmpty else { return false }
        if !isAnchored, let last = names.last { return Self.matches(parts[0][...], last[...]) }
        return Self.matches(parts[...], names[...])
    }

    private static func matches(_ parts: ArraySlice<[Unicode.Scalar]>, _ names: ArraySlice<[Unicode.Scalar]>) -> Bool {
        guard let part = parts.first else { return names.isEmpty }
        if part == ["*", "*"] {
            let rest = parts.dropFirst()
            // At the end it stands for everything inside, not for the folder itself.
            if rest.isEmpty { return !names.isEmpty }
            return (0...names.count).contains { matches(rest, names.dropFirst($0)) }
        }
        guard let name = names.first else { return false }
        return matches(part[...], name[...]) && matches(parts.dropFirst(), names.dropFirst())
    }

    /// Matches one name, going back only to the last star.
    private static func matches(_ pattern: ArraySlice<Unicode.Scalar>, _ name: ArraySlice<Unicode.Scalar>) -> Bool {
        var pattern = pattern
        var name = name
        var restart: (pattern: ArraySlice<Unicode.Scalar>, name: ArraySlice<Unicode.Scalar>)?
        while let scalar = name.first {
            if pattern.first == "*" {
                pattern = pattern.dropFirst()
                restart = (pattern, name)
            } else if let wanted = pattern.first, wanted == "?" || wanted == scalar {
                pattern = pattern.dropFirst()
                name = name.dropFirst()
            } else if let last = restart {
                restart = (last.pattern, last.name.dropFirst())
                pattern = last.pattern
                name = last.name.dropFirst()
            } else {
                return false
            }
        }
        return pattern.allSatisfy { $0 == "*" }
    }
}
