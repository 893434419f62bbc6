internal import Base
internal import CLibrary
internal import FoundationEssentials
internal import Push

/// Writes a command's output files.
enum OutputFile {
    /// Makes sure that the files of a command can be written, before it does anything.
    ///
    /// - Throws: ``Failure`` with `usage` that names the first which cannot.
    static func check(_ paths: [String]) throws {
        for path in paths where !canBeWritten(path) {
            throw Failure(.usage, "\(path) cannot be written; nothing was done")
        }
    }

    /// Writes a whole file of what a command has done: a failure is said and counts as one of the output, but what was
    /// done keeps its own code.
    static func put(_ bytes: [UInt8], to path: String, _ console: Console) {
        if let section = console.section { return section.keep(bytes, asFile: path) }
        do {
            try write(bytes, to: path)
        } catch {
            console.fail("\(path) cannot be written")
        }
    }

    private static func canBeWritten(_ path: String) -> Bool {
        guard !path.isEmpty, !path.hasSuffix("/") else { return false }
        guard isSpecial(path) else { return (try? FileDraft.check(path)) != nil }
        // A link to a file that is to come.
        guard access(path, F_OK) == 0 else { return errno == ENOENT }
        // Only a folder has a '.'.
        return access(path + "/.", F_OK) != 0 && access(path, W_OK) == 0
    }

    /// True for what is written to rather than replaced: a link, a device, a pipe.
    private static func isSpecial(_ path: String) -> Bool {
        let type = (try? FileManager.default.attributesOfItem(atPath: path))?[.type] as? FileAttributeType
        return !path.isEmpty && type != nil && type != .typeRegular
    }

    /// Replaces a whole file, so that a reader never sees a partial one.
    ///
    /// Links are followed; a device or pipe is written to, not replaced.
    ///
    /// - Throws: ``Failure`` when the file cannot be written.
    static func write(_ bytes: [UInt8], to path: String) throws {
        guard isSpecial(path) else { return try replace(path, with: bytes) }
        guard writeThrough(bytes, path) else { throw Failure(.failed, "\(path) cannot be written") }
    }

    /// Writes a whole file in the place of a regular one, or a new one.
    ///
    /// - Throws: ``Failure`` when it cannot be written; the old file is there then.
    static func replace(_ path: String, with bytes: [UInt8]) throws {
        do throws(SystemError) {
            try FileDraft.write(bytes, to: path)
        } catch {
            throw Failure(.failed, "\(path) cannot be written")
        }
    }

    private static func writeThrough(_ bytes: [UInt8], _ path: String) -> Bool {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
        guard descriptor >= 0 else { return false }
        let isWritten = (try? Descriptor.write(bytes, to: descriptor)) != nil
        return close(descriptor) == 0 && isWritten
    }
}

/// Reads a command's input files.
enum InputFile {
    /// Reads a whole file of at most 256 MiB; of a file about many workspaces, what it holds of the one at hand.
    ///
    /// - Throws: ``Failure`` when the file cannot be read.
    static func read(_ path: String) throws -> [UInt8] {
        if let section = WorkspaceSection.current, let part = try section.part(of: path) { return part }
        let size = (try? FileManager.default.attributesOfItem(atPath: path))?[.size] as? Int ?? 0
        guard size <= most else { throw tooLarge(path) }
        guard let data = FileManager.default.contents(atPath: path) else {
            throw Failure(.failed, "\(path) cannot be read")
        }
        // The size of a pipe is not known in advance.
        guard data.count <= most else { throw tooLarge(path) }
        return Array(data)
    }

    private static let most = 256 << 20

    private static func tooLarge(_ path: String) -> Failure {
        Failure(.failed, "\(path) is larger than \(most >> 20) MiB")
    }
}

/// Reads the file of `apply --approvals`.
///
/// - Throws: ``Failure`` with `invalid` that names the first faulty member, `failed` when it cannot be read.
func readApprovals(_ path: String) throws -> ApprovalFile {
    let bytes = try InputFile.read(path)
    do throws(RecordError) {
        return try ApprovalFile.read(bytes)
    } catch {
        throw Failure(.invalid, "\(path): \(error.text().trimmingSpaces)")
    }
}

/// Reads what `plan` wrote of one workspace or of many: a plan, or why there is none.
///
/// - Throws: ``Failure`` with `stale` when the file is damaged or of another version.
func readReview(_ path: String) throws -> SavedReview {
    let bytes = try InputFile.read(path)
    do throws(SavedFileError) {
        return try SavedReview.read(bytes)
    } catch {
        throw Failure(.stale, "\(path): \(error.description)")
    }
}

/// Reads a saved plan.
///
/// - Throws: ``Failure`` with `stale` when the plan is damaged or of another version.
func readSavedPlan(_ path: String) throws -> Plan { try readSavedPlan(path, InputFile.read(path)) }

/// Reads a plan that is to be applied; it must be signed if there is a key.
///
/// - Throws: ``Failure`` with `stale` when the plan is damaged, of another version, or not signed.
func readReviewedPlan(_ path: String, _ key: PlanKey?, _ console: Console) throws -> Plan {
    let bytes = try InputFile.read(path)
    let plan = try readSavedPlan(path, bytes)
    switch key {
    case .some(let key) where !key.hasSigned(bytes):
        throw Failure(
            .stale, "\(path): it is not signed with the key in BUGLE_PLAN_KEY; plan again where that key is set")
    case nil where PlanKey.isSigned(bytes):
        console.say("bugle: warning: \(path) is signed, but BUGLE_PLAN_KEY is not set: the signature is not checked")
    case _: break
    }
    return plan
}

private func readSavedPlan(_ path: String, _ bytes: [UInt8]) throws -> Plan {
    if bytes.first == UInt8(ascii: "[") {
        throw Failure(.usage, "\(path) holds the plans of many workspaces; apply them with --all")
    }
    do throws(SavedFileError) {
        return try Plan.read(saved: bytes)
    } catch {
        throw Failure(.stale, "\(path): \(error.description)")
    }
}

extension PlanKey {
    /// Returns the key in `BUGLE_PLAN_KEY`; nil when the variable is not set.
    ///
    /// - Throws: ``Failure`` when the key is too short, or empty as CI leaves a missing secret: that must not switch the
    ///   check off.
    static func find(in environment: [String: String]) throws -> PlanKey? {
        guard let text = environment["BUGLE_PLAN_KEY"] else { return nil }
        guard !text.isEmpty else {
            throw Failure(
                .credentials, "BUGLE_PLAN_KEY is set but empty: give it the key, or unset it where plans are not signed"
            )
        }
        guard let key = PlanKey(Secret(text)) else {
            throw Failure(
                .credentials, "BUGLE_PLAN_KEY has fewer than \(fewestBytes) bytes; 'openssl rand -hex 32' makes a key")
        }
        return key
    }
}
