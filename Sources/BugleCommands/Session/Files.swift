internal import FoundationEssentials
internal import Glibc
internal import PushPlan

/// Writes a command's output files.
enum OutputFile {
    /// Writes a whole file, so that a reader never sees half of it.
    ///
    /// A link is followed; a device or a pipe is written to, not replaced.
    ///
    /// - Throws: ``Failure`` when it cannot be written.
    static func write(_ bytes: [UInt8], to path: String) throws {
        let failure = Failure(.failed, "\(path) cannot be written")
        guard !path.isEmpty else { throw failure }
        let type = (try? FileManager.default.attributesOfItem(atPath: path))?[.type] as? FileAttributeType
        let isSpecial = type != nil && type != .typeRegular
        guard isSpecial ? writeThrough(bytes, path) : ReplacedFile.write(bytes, to: path) else { throw failure }
    }

    private static func writeThrough(_ bytes: [UInt8], _ path: String) -> Bool {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
        guard descriptor >= 0 else { return false }
        let isWritten = Console.write(bytes, to: descriptor) == 0
        return close(descriptor) == 0 && isWritten
    }
}

/// Reads a command's input files.
enum InputFile {
    /// Reads a whole file of at most 256 MiB.
    ///
    /// - Throws: ``Failure`` when it cannot be read.
    static func read(_ path: String) throws -> [UInt8] {
        guard let data = FileManager.default.contents(atPath: path) else {
            throw Failure(.failed, "\(path) cannot be read")
        }
        guard data.count <= 256 << 20 else { throw Failure(.failed, "\(path) is larger than 256 MiB") }
        return Array(data)
    }
}

/// Reads a plan that was saved.
///
/// - Throws: ``Failure`` with `stale` when it is damaged or of another version.
func readSavedPlan(_ path: String) throws -> Plan {
    let bytes = try InputFile.read(path)
    do throws(SavedPlanError) {
        return try Plan.read(saved: bytes)
    } catch {
        throw Failure(.stale, "\(path): \(error.description)")
    }
}
