/// The folder of a workspace, links resolved.
struct WorkspaceFolder: Sendable {
    /// The folder's absolute path without links.
    let root: String

    /// True when an absolute path without links is inside the folder.
    func contains(_ path: String) -> Bool {
        path == root || path.hasPrefix(root == "/" ? "/" : root + "/")
    }

    /// The problem that keeps a path from naming a file inside the workspace, in words that follow the field's name.
    ///
    /// The file need not exist; the part of its path that exists is checked with links resolved.
    func problem(withPath path: String) -> String? {
        guard !path.isEmpty else { return "must not be empty" }
        guard path.utf8.first != UInt8(ascii: "/") else { return "must be a path relative to the workspace" }
        guard !path.hasPrefix("~") else { return "must be a path relative to the workspace; '~' is not expanded" }
        guard !path.utf8.contains(0) else { return "must not contain a NUL character" }
        var depth = 0
        for part in path.split(separator: "/") where part != "." {
            depth += part == ".." ? -1 : 1
            if depth < 0 { return "leads out of the workspace" }
        }
        return staysInside(path) ? nil : "leads out of the workspace through a link"
    }

    /// True when a link, given by its absolute path, leads outside, even if its target does not exist.
    func isLeft(byLink link: String) -> Bool {
        guard let text = Posix.text(ofLink: link) else { return false }
        let folder = link.lastIndex(of: "/").map { String(link[..<$0]) } ?? ""
        var place = text.hasPrefix("/") ? text : folder + "/" + text
        while true {
            if let resolved = try? Posix.realPath(place.isEmpty ? "/" : place) { return !contains(resolved) }
            guard let end = place.lastIndex(of: "/") else { return true }
            place = String(place[..<end])
        }
    }

    private func staysInside(_ path: String) -> Bool {
        var resolved = root
        for part in path.split(separator: "/") where part != "." {
            let place = resolved + "/" + part
            guard let next = try? Posix.realPath(place) else {
                // It is unknown where a link with a missing target leads; below a missing folder there is nothing.
                return contains(resolved) && !Posix.isLink(place)
            }
            resolved = next
        }
        return contains(resolved)
    }
}
