internal import DeviceRegistry

/// Opens a registry when it is first asked for, once: a command that asks nothing of a remote needs none.
actor RegistryOpening {
    private let source: RegistrySource
    private var reader: Task<Result<any DeployReading, RegistryError>, Never>?
    private var writer: Task<Result<any DeployWriting, RegistryError>, Never>?

    init(_ source: RegistrySource) { self.source = source }

    /// The connection that cannot write.
    func reading() async throws(RegistryError) -> any DeployReading {
        let task =
            reader
            ?? Task { [source] in
                do throws(RegistryError) {
                    return .success(try await source.openReadOnly())
                } catch {
                    return .failure(error)
                }
            }
        reader = task
        let result = await task.value
        // Tried anew the next time: a database may have been started meanwhile.
        if case .failure = result, reader == task { reader = nil }
        return try result.get()
    }

    /// The connection that writes.
    func writing() async throws(RegistryError) -> any DeployWriting {
        let task =
            writer
            ?? Task { [source] in
                do throws(RegistryError) {
                    return .success(try await source.open())
                } catch {
                    return .failure(error)
                }
            }
        writer = task
        let result = await task.value
        if case .failure = result, writer == task { writer = nil }
        return try result.get()
    }

    /// Closes what was opened.
    func close() async {
        if case .success(let store)? = await reader?.value { await store.close() }
        if case .success(let store)? = await writer?.value { await store.close() }
        reader = nil
        writer = nil
    }
}
