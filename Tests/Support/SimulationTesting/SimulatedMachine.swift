internal import Base
internal import CFaultyDisk
internal import DeviceRegistry
internal import Foundation
internal import Push
internal import Synchronization

/// What a disk keeps of what was synced.
package enum DiskHonesty: String, Sendable {
    /// All of it.
    case honest
    /// A sync says that it succeeded, and writes nothing: a twin in which nothing can hold.
    case lying
    /// The log lacks its end after a power cut, synced or not: a twin as well, since nobody can tell.
    case losesLog
}

/// A machine whose disk holds a registry: a connection for each process, faults, and power cuts that end all of them.
// Everything happens on the scheduler's thread.
final class SimulatedMachine: @unchecked Sendable {
    /// Called when an operation of the disk has ended these processes: all but the one that looks on, or one.
    var onDeath: (Int?) -> Void = { _ in }
    /// True once a power cut has cut the registry's file off.
    private(set) var isRuined = false
    /// The operations of a registry that failed, and the power cuts.
    private(set) var (failures, cuts) = (0, 0)

    private let disk: OpaquePointer
    private let honesty: DiskHonesty
    private var chance: Chance
    /// The length of the log after which it is brought over into the registry's file.
    private let logPages: Int
    private var connections: [Int: Registry] = [:]

    private static let path = "/registry.db"

    /// A machine with an empty registry.
    init(seed: UInt64, honesty: DiskHonesty = .honest) {
        // Its numbers are not those of the world, which has the same seed.
        chance = Chance(seed: seed ^ 0xd15c)
        logPages = chance.one(of: [5, 40, 1000])
        disk = faulty_disk_new(seed ^ 0xd15c_d15c)
        self.honesty = honesty
        let image = Self.emptyRegistry
        image.withUnsafeBytes { faulty_disk_put(disk, Self.path, $0.baseAddress, Int64($0.count)) }
    }

    deinit {
        connections = [:]
        faulty_disk_free(disk)
    }

    /// The file of a registry that was just created.
    private static let emptyRegistry: [UInt8] = {
        let folder = FileManager.default.temporaryDirectory.appending(path: "registry-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        do {
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            let path = folder.appending(path: "registry.db").path
            try Registry.open(path: path).close()
            return Array(try Data(contentsOf: URL(filePath: path)))
        } catch {
            fatalError("no registry can be created: \(error)")
        }
    }()

    // MARK: Connections

    /// Runs `body` with the connection of a process, which is opened when it has none; process 0 looks on from outside,
    /// where nothing fails, and leaves nothing behind.
    func use<Value: Sendable>(
        _ process: Int, _ body: (any RegistryDatabase) async throws(RegistryError) -> Value
    ) async throws(RegistryError) -> Value {
        faulty_disk_enter(disk, Int32(process))
        faulty_disk_set_calm(disk, process == 0)
        defer { leave(process) }
        do throws(RegistryError) {
            return try await body(try connection(process))
        } catch {
            // Such as a lock that is lost.
            if error.isInternal { failures += 1 }
            throw error
        }
    }

    private func leave(_ process: Int) {
        if process == 0 {
            faulty_disk_end(disk, 0)
            connections[0] = nil
        } else if !faulty_disk_is_alive(disk, Int32(process)) {
            let isCut = faulty_disk_count(disk, FAULTY_CUT) > seenCuts
            seenCuts = faulty_disk_count(disk, FAULTY_CUT)
            if isCut { loseMore() }
            onDeath(isCut ? nil : process)
        }
    }

    private var seenCuts: Int32 = 0

    private func connection(_ process: Int) throws(RegistryError) -> any RegistryDatabase {
        if let registry = connections[process] { return Journal(registry).database }
        let name = String(cString: faulty_disk_name(disk))
        let registry = try Registry.open(inline: "file:\(Self.path)?vfs=\(name)", logPages: logPages)
        connections[process] = registry
        return Journal(registry).database
    }

    /// A process ends, and closes what it has open.
    func close(_ process: Int) {
        guard let registry = connections.removeValue(forKey: process) else { return }
        faulty_disk_enter(disk, Int32(process))
        faulty_disk_set_calm(disk, false)
        registry.close()
        leave(process)
        faulty_disk_end(disk, Int32(process))
    }

    /// Brings the log over into the registry's file, as whoever closes it last does.
    func bringLogOver() {
        faulty_disk_enter(disk, 0)
        faulty_disk_set_calm(disk, true)
        _ = try? connection(0)
        connections.removeValue(forKey: 0)?.close()
    }

    /// A process dies.
    func kill(_ process: Int) {
        faulty_disk_end(disk, Int32(process))
        connections[process] = nil
    }

    // MARK: Faults

    /// The power fails: the caller ends all processes.
    func cutPower() {
        faulty_disk_cut(disk)
        loseMore()
    }

    /// What else a power cut can do to files.
    private func loseMore() {
        cuts += 1
        for process in connections.keys { connections[process] = nil }
        switch honesty {
        case .honest:
            guard chance.happens(80) else { return }
            shorten(Self.path)
            isRuined = true
        case .lying: break
        case .losesLog: shorten(Self.path + "-wal")
        }
    }

    private func shorten(_ path: String) {
        let size = Int(faulty_disk_size(disk, path, false))
        // Anywhere, but a file system's blocks are likelier.
        let length = chance.number(below: max(1, size))
        faulty_disk_truncate(disk, path, Int64(chance.happens(500) ? length : length / 4096 * 4096))
    }

    /// Some of what can go wrong, from now on.
    func change() {
        func rate(_ fault: faulty_fault, _ rates: [Int32]) {
            faulty_disk_set_rate(disk, fault, chance.one(of: rates))
        }
        rate(FAULTY_READ, [0, 0, 0, 30, 200])
        rate(FAULTY_WRITE, [0, 0, 50, 300])
        rate(FAULTY_SYNC, [0, 0, 500, 3000])
        rate(FAULTY_FULL, [0, 0, 0, 0, 500, 10_000])
        rate(FAULTY_OPEN, [0, 0, 0, 500])
        rate(FAULTY_DEATH, [0, 0, 40, 150])
        rate(FAULTY_CUT, [0, 0, 50, 200])
        guard honesty != .honest else { return }
        // A twin has what it is about, and time for it.
        for fault in Self.faults.keys { faulty_disk_set_rate(disk, fault, 0) }
        rate(FAULTY_CUT, [50, 150, 400])
        if honesty == .lying { faulty_disk_set_rate(disk, FAULTY_LIE, 10_000) }
    }

    /// Nothing goes wrong any more.
    func calm() { for fault in Self.faults.keys { faulty_disk_set_rate(disk, fault, 0) } }

    /// How often each fault happened.
    var counts: [String: Int] {
        var counts = Self.faults.reduce(into: [:]) { $0[$1.value] = Int(faulty_disk_count(disk, $1.key)) }
        counts["power cuts"] = cuts
        counts["files cut off"] = isRuined ? 1 : 0
        return counts
    }

    private static let faults: [faulty_fault: String] = [
        FAULTY_READ: "reads", FAULTY_WRITE: "writes", FAULTY_FULL: "full", FAULTY_SYNC: "syncs", FAULTY_LIE: "lies",
        FAULTY_OPEN: "opens", FAULTY_DEATH: "deaths in a change", FAULTY_CUT: "power cuts in a change",
    ]
}

extension faulty_fault: @retroactive Hashable {}

/// The registry as a process of a machine has it.
struct MachineDatabase: RegistryDatabase {
    let machine: SimulatedMachine
    let process: Int

    func read<Value: Sendable>(
        _ kind: ReadKind, _ body: @escaping @Sendable (any RegistryTransaction) throws -> Value
    ) async throws(RegistryError) -> Value {
        try await machine.use(process) { db throws(RegistryError) in try await db.read(kind, body) }
    }

    func write<Value: Sendable>(
        _ body: @escaping @Sendable (any RegistryTransaction) throws -> Value
    ) async throws(RegistryError) -> Value {
        try await machine.use(process) { db throws(RegistryError) in try await db.write(body) }
    }

    func freeze(
        _ freeze: DeliveryFreeze, under lease: Lease?, at clock: (@Sendable () -> Instant)?
    ) async throws(RegistryError) -> AudienceCount? {
        try await machine.use(process) { db throws(RegistryError) in
            try await db.freeze(freeze, under: lease, at: clock)
        }
    }

    var isShared: Bool { false }
    func own() throws(RegistryError) {}
    func probe() async throws(RegistryError) {
        try await machine.use(process) { db throws(RegistryError) in try await db.probe() }
    }
    func fillIndexes() async throws(RegistryError) -> Bool { false }
    func news() -> AsyncStream<Bool> { AsyncStream { $0.finish() } }
    func size() async throws(RegistryError) -> Int {
        try await machine.use(process) { db throws(RegistryError) in try await db.size() }
    }
    func close() async { machine.close(process) }
}
