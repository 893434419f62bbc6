/// A path pattern: `*` matches any characters but `/`, `?` one of them, `**` any number of folders.
///
/// A pattern without `/` matches a name in every folder; one with `/` starts at the workspace's folder. A pattern that
/// matches a folder matches everything in it.
struct Glob: Hashable, Sendable {
    private let parts: [[Unicode.Scalar]]
    private let isAnchored: Bool

    /// Parses a pattern; a leading `/` or `./` and a trailing `/` are ignored.
    init(_ pattern: String) {
        var text = Substring(pattern)
        if text.hasPrefix("./") { text = text.dropFirst(2) }
        var parts: [[Unicode.Scalar]] = []
        for part in text.split(separator: "/").map({ Array($0.unicodeScalars) }) {
            // Two in a row mean the same as one.
            if part == ["*", "*"], parts.last == part { continue }
            parts.append(part)
        }
        self.parts = parts
        isAnchored = parts.count > 1 || text.hasPrefix("/")
    }

    /// True when the pattern matches a path relative to the workspace; the folders above it are not checked.
    func matches(_ path: String) -> Bool {
        let names = path.split(separator: "/").map { Array($0.unicodeScalars) }
        guard !parts.isEmpty else { return false }
        if !isAnchored, let last = names.last { return Self.matches(parts[0], last) }
        return Self.matches(parts[...], names[...])
    }

    private static func matches(_ parts: ArraySlice<[Unicode.Scalar]>, _ names: ArraySlice<[Unicode.Scalar]>) -> Bool {
        // At the end, `**` matches everything inside, not the folder itself: it takes at least one name.
        left(of: parts, names, isStar: { $0 == ["*", "*"] }, matches)?.isEmpty ?? false
    }

    /// Matches one name.
    private static func matches(_ part: [Unicode.Scalar], _ name: [Unicode.Scalar]) -> Bool {
        let star: Unicode.Scalar = "*"
        let rest = left(of: part[...], name[...], isStar: { $0 == star }) { wanted, scalar in
            wanted == "?" || wanted == scalar
        }
        return rest?.allSatisfy { $0 == star } ?? false
    }

    /// The rest of a pattern after all elements are matched; nil when they do not match.
    ///
    /// Backtracks to the last star only: anything an earlier star could take as well, the last one can take too.
    private static func left<Part, Element>(
        of pattern: ArraySlice<Part>, _ elements: ArraySlice<Element>, isStar: (Part) -> Bool,
        _ fits: (Part, Element) -> Bool
    ) -> ArraySlice<Part>? {
        var (pattern, elements) = (pattern, elements)
        var restart: (pattern: ArraySlice<Part>, elements: ArraySlice<Element>)?
        while let element = elements.first {
            if let part = pattern.first, isStar(part) {
                pattern.removeFirst()
                restart = (pattern, elements)
            } else if let part = pattern.first, fits(part, element) {
                pattern.removeFirst()
                elements.removeFirst()
            } else if let last = restart {
                (pattern, elements) = (last.pattern, last.elements.dropFirst())
                restart = (pattern, elements)
            } else {
                return nil
            }
        }
        return pattern
    }
}
