internal import Base
internal import CLibrary
internal import FoundationEssentials

/// Creates files without overwriting any.
struct NewFile {
    /// The workspace's folder, with links resolved.
    let folder: String

    /// Returns true if a path of the workspace exists, even as a dangling link.
    func exists(_ path: String) -> Bool {
        (try? FileManager.default.attributesOfItem(atPath: folder + "/" + path)) != nil
    }

    /// Writes a file and creates its folders.
    ///
    /// - Throws: ``Failure`` when the path exists already, a folder is a link, or writing fails; a partially written
    ///   file is removed.
    func write(_ text: String, to path: String) throws {
        try makeFolders(above: path)
        do throws(SystemError) {
            try FileDraft.create(Array(text.utf8), at: folder + "/" + path)
        } catch {
            throw Failure(.failed, error.code == EEXIST ? "\(path) already exists" : "\(path) cannot be written")
        }
    }

    /// Creates the folders; a link is rejected, since it could lead out of the workspace.
    private func makeFolders(above path: String) throws {
        var place = folder
        for part in path.split(separator: "/").dropLast() {
            place += "/" + part
            let type = (try? FileManager.default.attributesOfItem(atPath: place))?[.type] as? FileAttributeType
            if type == .typeDirectory { continue }
            guard type == nil else { throw Failure(.failed, "\(place) is in the way: it is not a folder") }
            guard mkdir(place, 0o755) == 0 else { throw Failure(.failed, "the folder \(place) cannot be created") }
        }
    }
}
