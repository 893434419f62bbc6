internal import Archives
package import DeviceRegistry
internal import Synchronization

/// Reads what LeanCloud's console delivers into a registry: a `.tar.gz`, a `.zip`, a folder or a file.
///
/// Taken are the devices, the users and the classes that are named; the others are counted. What a file holds, its heading
/// says, else its name. Run again, also after it was killed, it changes nothing that it has written before.
package struct ExportTransfer: Sendable {
    /// What is taken without being asked.
    package static let classes = ["_Installation", "_User"]

    /// How far it came.
    package struct Progress: Sendable {
        /// The class that is being read.
        package let className: String
        /// How many of its objects were read.
        package let read: Int
        /// Which part of the bytes was read; nil when nobody knows how many there are.
        package let part: Double?
    }

    private let registry: Registry
    private let imports: [String: ClassName]
    /// The class that was named, if it was one.
    private let only: String?
    private let progress: @Sendable (Progress) -> Void

    /// Prepares an import.
    ///
    /// - Parameters:
    ///   - classes: taken as well; a file that does not say what it holds is of the only one of them.
    ///   - pointedTo: taken as well, because conditions point to them.
    ///   - progress: told after each transaction.
    /// - Throws: ``TransferError`` when a class is one that is never moved.
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

    /// Reads a path to its end.
    ///
    /// - Throws: ``TransferError`` when it cannot be read, holds nothing that is taken, or the database fails; what was
    ///   written stays.
    package func run(path: String) async throws(TransferError) -> ExportReport {
        let count = ByteCount()
        let walk: ArchiveWalk
        do throws(ArchiveError) {
            walk = try ArchiveWalk(path: path) { count.bytes.add($0, ordering: .relaxed) }
        } catch {
            throw TransferError(error.description)
        }
        var report = ExportReport(wanted: imports.keys.sorted())
        var hasRows = false
        while let member = try next(of: walk) {
            let name = ExportFileName(path: member.name)
            let stream = try ExportStream { () throws(TransferError) in
                do throws(ArchiveError) {
                    return try member.bytes.next()
                } catch {
                    throw TransferError(error.description)
                }
            }
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

    private func next(of walk: ArchiveWalk) throws(TransferError) -> ArchiveMember? {
        do throws(ArchiveError) {
            return try walk.next()
        } catch {
            throw TransferError(error.description)
        }
    }

    /// The class of a file's objects; nil when nothing says that it is one that is taken.
    ///
    /// - Throws: ``TransferError`` when the file is what was given and holds something else.
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

/// How many bytes were read.
private final class ByteCount: Sendable {
    let bytes = Atomic<Int>(0)
}
