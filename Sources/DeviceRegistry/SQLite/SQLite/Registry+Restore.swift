package import Push

extension Registry {
    /// Puts a backup in the place of a registry's file, and holds back what may have been sent since.
    ///
    /// The copy is checked and gets its name last. An existing file is kept beside it, its name followed by
    /// `.before-` and the time. The new file belongs to the old one's owner, else to its folder's.
    ///
    /// - Parameters:
    ///   - backup: a copy made by ``backUp(_:to:replacing:)``.
    ///   - path: the registry's file, which no process may have open.
    ///   - isReplacing: true to replace an existing file.
    ///   - now: the time; pushes due until then are held.
    /// - Returns: the result.
    /// - Throws: ``RegistryError``; then the file is as it was.
    package static func restore(
        _ backup: String, to path: String, replacing isReplacing: Bool, at now: Instant
    ) async throws(RegistryError) -> RestoreReport {
        let owner = RegistryOwner(of: path)
        try owner.take()
        defer { owner.giveBack() }
        let draft = path + ".restoring"
        func discard() { for ending in [""] + logEndings { try? remove(draft + ending) } }
        discard()
        do throws(RegistryError) {
            _ = try backUp(backup, to: draft)
            let restored = try Registry.open(path: draft)
            let report: RestoreReport
            do throws(RegistryError) {
                report = try await restored.holdOverdue(at: now)
                try await restored.checkpoint()
            } catch {
                restored.close()
                throw error
            }
            restored.close()
            try move(draft, to: path, keeping: isReplacing ? path + ".before-" + now.isoText : nil)
            discard()
            return report
        } catch {
            discard()
            throw error
        }
    }
}
