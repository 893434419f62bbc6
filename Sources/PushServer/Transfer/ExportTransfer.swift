internal import Base
package import DeviceRegistry
internal import Synchronization

/// Imports what LeanCloud's console exports into a registry: a `.tar.gz`, a `.zip`, a folder or a file.
///
/// Devices, users and the named classes are imported; objects of other classes are counted. A file's heading, otherwise
/// its name, decides its class. A repeated run, even after one that was killed, changes nothing that was already
/// written.
package struct ExportTransfer: Sendable {
    /// The classes that are always imported.
    package static let classes = ["_Installation", "_User"]

    /// The progress of an import.
    package struct Progress: Sendable {
        /// The class being read.
        package let className: String
        /// The number of its objects read so far.
        package let read: Int
        /// The fraction of the bytes read; nil when the total is unknown.
        package let part: Double?
    }

    private let registry: Registry
    private let imports: [String: ClassName]
    /// The requested class, if there is only one.
    private let only: String?
    private let progress: @Sendable (Progress) -> Void

    /// Prepares an import.
    ///
    /// - Parameters:
    ///   - registry: the registry that receives the objects.
    ///   - classes: further classes to import; a file without a class belongs to the only one of them.
    ///   - pointedTo: further classes, because conditions point to them.
    ///   - progress: called after each transaction.
    /// - Throws: ``TransferError`` if one of the classes is never transferred.
    package init(
        into registry: Registry, classes: [String] = [], pointedTo: Set<String> = [],
        progress: @escaping @Sendable (Progress) -> Void = { _ in }
    ) throws(TransferError) {
        self.registry = registry
        self.progress = progress
        only = classes.count == 1 ? classes[0] : nil
        var imports: [String: ClassName] = [:]
        for name in Self.classes + classes + pointedTo { imports[name] = try transferable(name) }
        self.imports = imports
    }

    /// Imports a path to its end.
    ///
    /// - Throws: ``TransferError`` if the path cannot be read, contains no class to import, or the database fails; what
    ///   was already written stays.
    package func run(path: String) async throws(TransferError) -> ExportReport {
        let count = ByteCount()
        let walk = try ArchiveWalk(path: path) { count.bytes.add($0, ordering: .relaxed) }
        var report = ExportReport(wanted: imports.keys.sorted())
        var hasRows = false
        while let member = try walk.next() {
            let name = ExportFileName(path: member.name)
            let stream = try ExportStream { () throws(TransferError) in try member.bytes.next() }
            guard let found = try className(of: stream, name, isWhole: member.isWhole), let known = imports[found]
            else {
                report.leaveOut(stream.head.className ?? name.className)
                continue
            }
            var classReport = report.classes[found] ?? TransferReport(found)
            guard !stream.isBlank else {
                if member.isWhole { throw TransferError("\(path) is empty: export it again") }
                classReport.skip("the file is empty, without even a heading or a list", at: name.name)
                report.classes[found] = classReport
                continue
            }
            if let line = stream.tableLine {
                throw TransferError(
                    "\(name.name) line \(line): this is a table (CSV), which does not tell numbers from texts: make the data "
                        + "export in its JSON form (console, Data Storage > Import & Export; 数据存储 > 导入导出)")
            }
            hasRows = true
            let before = classReport.read
            let (size, progress) = (walk.size, progress)
            let work = ExportImport(into: registry, className: known) { read in
                let part = size.map { $0 > 0 ? Double(count.bytes.load(ordering: .relaxed)) / Double($0) : 1 }
                progress(Progress(className: found, read: max(before, read), part: part))
            }
            try await work.run(stream, file: member.isWhole ? nil : name.name, into: &classReport)
            report.classes[found] = classReport
            report.isOneFile = member.isWhole
        }
        guard !report.classes.isEmpty else { throw report.nothing(in: path) }
        guard hasRows else { throw TransferError("\(path) holds empty files only: export it again") }
        report.classes["_Installation"]?.keptAside = try await keptAside()
        return report
    }

    private func keptAside() async throws(TransferError) -> Int {
        do throws(RegistryError) {
            return try await registry.supersededDevices()
        } catch {
            throw TransferError("the registry could not be read: \(error.description)")
        }
    }

    /// The class of a file's objects; nil when the file is not known to hold a class to import.
    ///
    /// - Throws: ``TransferError`` if the given path is this file and it holds something else.
    private func className(
        of stream: ExportStream, _ name: ExportFileName, isWhole: Bool
    ) throws(TransferError) -> String? {
        let said = stream.head.className ?? (name.isNumbered || !isWhole ? name.className : nil)
        if name.isBackup, imports[name.className] != nil || isWhole {
            throw TransferError(
                "\(name.name) is of the backup export (BSON): make the data export instead, which is JSON (console, Data "
                    + "Storage > Import & Export > Data Export; 数据存储 > 导入导出 > 数据导出)")
        }
        if let said, imports[said] != nil { return said }
        guard isWhole else { return nil }
        if let said { throw TransferError("the file holds objects of class \(said): say --class \(said)") }
        if imports[name.className] != nil { return name.className }
        return only ?? "_Installation"
    }
}

private final class ByteCount: Sendable {
    let bytes = Atomic<Int>(0)
}

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
    init(into registry: Registry, className: ClassName, progress: @escaping @Sendable (Int) -> Void = { _ in }) {
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
        if element.bytes.first == UInt8(ascii: "#") {
            // Files were put one behind the other.
            guard let other = ExportHead(element.bytes).className, other != className.name else { return }
            try await flush(&work)
            throw TransferError(
                "\(place): the objects of class \(other) begin here, in a file of class \(className): give each class a file "
                    + "of its own")
        }
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
