internal import Basics
internal import CLibrary
internal import FoundationEssentials

/// Writes files that were not there before.
struct NewFile {
    /// The workspace's folder, without links.
    let folder: String

    /// Whether something, if a link to nowhere, is at a path of the workspace.
    func exists(_ path: String) -> Bool {
        (try? FileManager.default.attributesOfItem(atPath: folder + "/" + path)) != nil
    }

    /// Writes a whole file and the folders above it.
    ///
    /// - Throws: ``Failure`` when something is there already, a folder is a link, or it cannot be written; what was
    ///   written of it is removed again.
    func write(_ text: String, to path: String) throws {
        try makeFolders(above: path)
        do throws(SystemError) {
            try FileDraft.create(Array(text.utf8), at: folder + "/" + path)
        } catch {
            throw Failure(.failed, error.code == EEXIST ? "\(path) exists already" : "\(path) cannot be written")
        }
    }

    /// Makes the folders; a link could lead out of the workspace.
    private func makeFolders(above path: String) throws {
        var place = folder
        for part in path.split(separator: "/").dropLast() {
            place += "/" + part
            let type = (try? FileManager.default.attributesOfItem(atPath: place))?[.type] as? FileAttributeType
            if type == .typeDirectory { continue }
            guard type == nil else { throw Failure(.failed, "\(place) is in the way: it is no folder") }
            guard mkdir(place, 0o755) == 0 else { throw Failure(.failed, "the folder \(place) cannot be made") }
        }
    }
}
