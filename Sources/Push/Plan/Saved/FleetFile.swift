internal import Base

/// A file about many workspaces: a JSON list of what a command writes of each alone, with its folder and exit code first.
///
/// What was written of a workspace alone is kept byte for byte, so that its seal and signature hold.
package struct FleetFile: Hashable, Sendable {
    /// One workspace each, in path order.
    package var entries: [Entry]

    /// What was written of one workspace.
    package struct Entry: Hashable, Sendable {
        /// The workspace's folder, relative to the one that was searched; `.` for that itself.
        package var folder: String
        /// The exit code that the command has for this workspace.
        package var exitCode: Int
        /// What kept it from being done, or what else is to be said of it; nil for nothing.
        package var message: String?
        /// The file that the command writes of this workspace alone.
        package var written: [UInt8]

        /// Creates an entry; `written` is an object of JSON that begins with its `formatVersion`.
        package init(folder: String, exitCode: Int, message: String? = nil, written: [UInt8]) {
            self.folder = folder
            self.exitCode = exitCode
            self.message = message
            self.written = written
        }
    }

    package init(_ entries: [Entry]) { self.entries = entries }

    /// The file; equal entries give equal bytes.
    package var bytes: [UInt8] {
        var bytes = Array("[".utf8)
        for (index, entry) in entries.enumerated() {
            bytes += (index == 0 ? "\n" : ",\n").utf8
            bytes += entry.head + entry.written.dropFirst()
            bytes.removeLast()
        }
        return bytes + Array("\n]\n".utf8)
    }

    /// Reads a file that ``bytes`` made; nil for one that is no list, such as that of a single workspace.
    ///
    /// - Throws: ``SavedFileError`` when the list was altered.
    package static func read(_ bytes: [UInt8]) throws(SavedFileError) -> FleetFile? {
        guard bytes.first == UInt8(ascii: "[") else { return nil }
        var entries: [Entry] = []
        for place in JSONOutline.elements(of: bytes) ?? [0..<0] {
            guard let entry = Entry(bytes[place]), !entries.contains(where: { $0.folder == entry.folder }) else {
                throw .damaged
            }
            entries.append(entry)
        }
        return FleetFile(entries)
    }
}

extension FleetFile.Entry {
    /// Everything before the members of what was written.
    fileprivate var head: [UInt8] {
        var members: [(String, OrderedJSON)] = [("folder", .string(folder)), ("exitCode", .integer(exitCode))]
        if let message { members.append(("message", .string(message))) }
        // Without the line break, the brace and the line break at the end.
        return Array(OrderedJSON.object(members).bytes.dropLast(3)) + Array(",".utf8)
    }

    /// No text within holds a line break, so this can only stand where the head ends.
    private static let start = Array("\n  \"formatVersion\":".utf8)

    /// Takes an element apart; nil when the head is not as it was written.
    fileprivate init?(_ element: ArraySlice<UInt8>) {
        guard let place = element.firstRange(of: Self.start)?.lowerBound, place > element.startIndex,
            let head = Plan.document(Array(element[..<place].dropLast()) + Array("}".utf8)),
            let folder = head["folder"]?.string,
            let exitCode = head["exitCode"]?.integer
        else { return nil }
        self.init(
            folder: folder, exitCode: Int(exitCode), message: head["message"]?.string,
            written: Array("{".utf8) + element[place...] + Array("\n".utf8))
        guard self.head.elementsEqual(element[..<place]) else { return nil }
    }
}
