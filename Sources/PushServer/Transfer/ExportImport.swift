internal import DeviceRegistry
internal import Base

/// Imports objects of one class into a registry, in LeanCloud's export format.
///
/// A file is read once, from its beginning, in bounded memory; every thousand objects are one transaction. A repeated
/// run changes nothing that an earlier one has written.
struct ExportImport: Sendable {
    /// The most objects per transaction.
    static let batchSize = 1000
    /// The most bytes per transaction: a thousand objects of the largest size would not fit in memory.
    static let batchBytes = 8 << 20
    /// The limits for parsing an object: nesting as deep as the server's clients may use; its length is bounded
    /// elsewhere.
    private static let limits = JSONLimits(depth: 100, memory: JSONLimits.anyMemory.memory)

    private let registry: Registry
    private let className: ClassName
    private let progress: @Sendable (Int) -> Void

    /// Prepares an import of objects of one class; `progress` is called with the number read, after each transaction.
    init(
        into registry: Registry, className: ClassName, progress: @escaping @Sendable (Int) -> Void = { _ in }
    ) {
        self.registry = registry
        self.className = className
        self.progress = progress
    }

    /// Imports a file to its end, adding to the counts of `report`.
    ///
    /// `file` is its name in messages; nil when it is the only one.
    ///
    /// - Throws: ``TransferError`` if the file cannot be read or the database fails.
    func run(
        _ stream: ExportStream, file: String? = nil, into report: inout TransferReport
    ) async throws(TransferError) {
        var work = Work(report: report, file: file)
        var splitter = ElementSplitter(stream.head.form, line: stream.head.line)
        var bytes = stream.first[...]
        while !bytes.isEmpty {
            for element in splitter.elements(in: bytes) { try await take(element, &work) }
            bytes = try stream.next()[...]
        }
        if let last = splitter.last() { try await take(last, &work, isLast: true) }
        try await flush(&work)
        report = work.report
    }

    /// The state of a run.
    private struct Work {
        var report: TransferReport
        var file: String?
        var batch: [(object: TransferredObject, place: String)] = []
        var bytes = 0
    }

    private func take(
        _ element: ElementSplitter.Element, _ work: inout Work, isLast: Bool = false
    ) async throws(TransferError) {
        let place = (work.file.map { "\($0) " } ?? "") + "line \(element.line)"
        switch object(element) {
        case .success(let object): work.batch.append((object, place))
        case .failure(let fault):
            let isCutOff = isLast && fault == Self.notJSON
            work.report.skip(isCutOff ? ElementSplitter.cutOff : fault.description, at: place)
        }
        work.bytes += element.bytes.count
        if work.batch.count >= Self.batchSize || work.bytes >= Self.batchBytes { try await flush(&work) }
    }

    private func flush(_ work: inout Work) async throws(TransferError) {
        let batch = work.batch
        work.batch = []
        work.bytes = 0
        let outcomes = try await write(batch.map(\.object))
        for ((object, place), outcome) in zip(batch, outcomes) { work.report.note(outcome, of: object, at: place) }
        progress(work.report.read)
    }

    private func write(_ objects: [TransferredObject]) async throws(TransferError) -> [TransferOutcome] {
        do throws(RegistryError) {
            return try await registry.transfer(objects, into: className)
        } catch {
            throw TransferError("the registry could not be written: \(error.description)")
        }
    }

    // MARK: One element

    private static let notJSON = TransferError("it is not JSON")

    private func object(_ element: ElementSplitter.Element) -> Result<TransferredObject, TransferError> {
        if let fault = element.fault { return .failure(TransferError(fault)) }
        let value: JSONValue
        do throws(JSONSyntaxError) {
            value = try JSONValue(parsing: element.bytes, limits: Self.limits)
        } catch {
            return .failure(Self.fault(error))
        }
        guard let members = value.object else { return .failure(TransferError("it is not a JSON object")) }
        do throws(RegistryError) {
            return .success(try TransferredObject(members, of: className))
        } catch {
            return .failure(TransferError(error.description))
        }
    }

    private static func fault(_ error: JSONSyntaxError) -> TransferError {
        switch error.fault {
        case .tooDeep: TransferError("it is nested deeper than \(limits.depth)")
        case .encoding: TransferError("it is not UTF-8")
        default: notJSON
        }
    }
}

/// Checks that a class may be transferred: any but the lock, which belongs to the place where it was taken.
func transferable(_ name: String) throws(TransferError) -> ClassName {
    guard name != "BugleLock" else { throw TransferError("BugleLock is never moved: a lock holds where it was taken") }
    do throws(RegistryError) {
        return try ClassName(name)
    } catch {
        throw TransferError("'\(name)' is not a class name: \(error.description)")
    }
}
