import Base
import CFaultyDisk
import DeviceRegistry
import Foundation
import GRDB
import Push
import SimulationTesting
import Testing

/// The disk below SQLite, and what is left of the promise above it.
@Suite struct DiskTests {
    // MARK: Worlds

    @Test func whateverTheDiskDoesNobodyGetsItTwiceAndNobodyIsForgotten() async {
        let report = await Simulations.report(of: 0..<300, onDisk: .honest)
        #expect(report.failures == [])
        #expect(report.faults.filter { $0.value == 0 }.map(\.key) == ["lies"])
    }

    /// Otherwise the worlds could not fail.
    @Test(arguments: [DiskHonesty.lying, .losesLog])
    func aDiskThatLosesWhatItSyncedIsFound(honesty: DiskHonesty) async {
        let failures = await Simulations.report(of: 0..<300, onDisk: honesty, most: 100).failures
        #expect(failures.contains { $0.contains("a device got it 2 times") }, "\(failures)")
    }

    @Test func aDiskReplaysToTheLastFault() async {
        let first = await Simulations.report(of: 0..<60, onDisk: .lying, most: 60)
        let second = await Simulations.report(of: 0..<60, onDisk: .lying, most: 60)
        #expect(first.faults == second.faults && first.effort == second.effort && first.failures == second.failures)
    }

    // MARK: The registry

    /// A commit is refused, its log is shown all the same, and the next process takes it for committed: what it commits
    /// behind that must not hang on bytes that the disk never gets.
    @Test(arguments: 0..<40 as Range<UInt64>)
    func whatIsCommittedBehindACommitThatFailedSurvivesAPowerCut(seed: UInt64) async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "disk-\(UUID())")
        defer { try? FileManager.default.removeItem(at: folder) }
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let path = folder.appending(path: "r.db").path
        try Registry.open(path: path).close()
        let disk = Disk(seed)
        let image = Array(try Data(contentsOf: URL(filePath: path)))
        faulty_disk_put(disk.disk, "/r.db", image, Int64(image.count))
        func journal(_ process: Int32) throws -> Journal {
            faulty_disk_enter(disk.disk, process)
            return Journal(
                try Registry.open(inline: "file:/r.db?vfs=" + String(cString: faulty_disk_name(disk.disk))))
        }
        func record(_ key: String) -> DeployRecord {
            DeployRecord(workspace: "w", kind: .mark, key: key, document: ["text": .string(key)])
        }
        let first = try journal(1)
        disk.set(FAULTY_SYNC, 10_000)
        await #expect(throws: RegistryError.self) { try await first.put(record("refused"), under: nil) }
        faulty_disk_end(disk.disk, 1)
        disk.set(FAULTY_SYNC, 0)
        let second = try journal(2)
        try await second.put(record("committed"), under: nil)
        faulty_disk_cut(disk.disk)
        let found = try await journal(3).records(.mark, of: "w").map(\.key)
        #expect(found.contains("committed"), "\(found)")
        faulty_disk_end(disk.disk, 3)
    }

    // MARK: The disk itself

    @Test(arguments: 0..<40 as Range<UInt64>)
    func whatWasSyncedSurvivesAPowerCut(seed: UInt64) throws {
        let disk = Disk(seed)
        for process in 1...5 { try disk.open(process, cutting: true) { try $0.write(process) } }
        #expect(try disk.open(9) { try $0.rows() } == [1, 2, 3, 4, 5])
    }

    @Test func whatWasNotSyncedIsLostInPart() throws {
        var found: Set<[Int]> = []
        for seed in 0..<60 as Range<UInt64> {
            let disk = Disk(seed)
            try disk.open(1, cutting: true) { queue in
                try queue.write(0)
                try queue.unsynced()
                for row in 1...4 { try queue.write(row) }
            }
            found.insert(try disk.open(2) { try $0.rows() })
        }
        // A log is believed to the first thing that is missing in it.
        #expect(found.isSubset(of: [[0], [0, 1], [0, 1, 2], [0, 1, 2, 3], [0, 1, 2, 3, 4]]))
        #expect(found.count > 2, "\(found)")
    }

    @Test func aSyncThatFailsOnceLosesItsDataAndTheNextOneSucceeds() throws {
        var found: Set<[Int]> = []
        for seed in 0..<60 as Range<UInt64> {
            for goesOn in [true, false] {
                let disk = Disk(seed)
                try disk.open(1, cutting: true) { queue in
                    try queue.write(0)
                    disk.set(FAULTY_SYNC, 10_000)
                    #expect(throws: DatabaseError.self) { try queue.write(1) }
                    disk.set(FAULTY_SYNC, 0)
                    #expect(try queue.rows() == [0])
                    if goesOn { try queue.write(2) }
                }
                let rows = try disk.open(2) { try $0.rows() }
                if goesOn { #expect(rows == [0, 2]) } else { found.insert(rows) }
            }
        }
        // What was refused may be there all the same once the log is read again.
        #expect(found == [[0], [0, 1]])
    }

    @Test(arguments: [
        (FAULTY_READ, ResultCode.SQLITE_IOERR), (FAULTY_WRITE, .SQLITE_IOERR), (FAULTY_FULL, .SQLITE_FULL),
        (FAULTY_OPEN, .SQLITE_CANTOPEN), (FAULTY_DEATH, .SQLITE_IOERR), (FAULTY_CUT, .SQLITE_IOERR),
    ])
    func eachFaultIsAnErrorAndNothingOfItsTransactionIsThere(fault: faulty_fault, code: ResultCode) throws {
        let disk = Disk(7)
        try disk.open(1) { try $0.write(0) }
        disk.set(fault, 10_000)
        let error = #expect(throws: DatabaseError.self) { try disk.open(2) { try $0.write(1) } }
        #expect(error?.resultCode == code)
        disk.set(fault, 0)
        #expect(try disk.open(3) { try $0.rows() } == [0])
    }

    @Test func aSyncThatLiesLosesWhatWasAnswered() throws {
        var found: Set<[Int]> = []
        for seed in 0..<40 as Range<UInt64> {
            let disk = Disk(seed)
            try disk.open(1, cutting: true) { queue in
                try queue.write(0)
                disk.set(FAULTY_LIE, 10_000)
                try queue.write(1)
            }
            disk.set(FAULTY_LIE, 0)
            found.insert(try disk.open(2) { try $0.rows() })
        }
        #expect(found == [[0], [0, 1]])
    }

    @Test func aFileThatIsCutOffIsSaid() throws {
        let disk = Disk(1)
        try disk.open(1) { queue in for row in 0..<2000 { try queue.write(row) } }
        faulty_disk_truncate(disk.disk, "/d.db", faulty_disk_size(disk.disk, "/d.db", false) / 2)
        let error = #expect(throws: DatabaseError.self) { try disk.open(2) { try $0.rows() } }
        #expect(error?.resultCode == .SQLITE_CORRUPT)
    }

    /// A process that dies within a transaction leaves its locks, and no trace in the index that the others share.
    @Test func theOthersGoOnWhenOneDies() throws {
        let disk = Disk(3)
        try disk.open(1) { one in
            try one.write(0)
            disk.set(FAULTY_DEATH, 10_000)
            #expect(throws: DatabaseError.self) { try disk.open(2) { try $0.write(1) } }
            disk.set(FAULTY_DEATH, 0)
            faulty_disk_enter(disk.disk, 1)
            #expect(try one.rows() == [0])
            try one.write(2)
        }
        #expect(try disk.open(3) { try $0.rows() } == [0, 2])
    }
}

/// A disk with a table.
private final class Disk {
    let disk: OpaquePointer

    init(_ seed: UInt64) { disk = faulty_disk_new(seed) }
    deinit { faulty_disk_free(disk) }

    func set(_ fault: faulty_fault, _ rate: Int32) { faulty_disk_set_rate(disk, fault, rate) }

    /// Opens the database as a process, which closes it, unless the power fails.
    func open<Value>(
        _ process: Int, cutting: Bool = false, _ body: (DatabaseQueue) throws -> Value
    ) throws -> Value {
        faulty_disk_enter(disk, Int32(process))
        var configuration = Configuration()
        configuration.journalMode = .wal
        let queue = try DatabaseQueue(
            path: "file:/d.db?vfs=" + String(cString: faulty_disk_name(disk)), configuration: configuration)
        defer { try? queue.close() }
        try queue.writeWithoutTransaction { db in try db.execute(sql: "PRAGMA synchronous = FULL") }
        let value = try body(queue)
        if cutting { faulty_disk_cut(disk) }
        return value
    }
}

extension DatabaseQueue {
    fileprivate func write(_ row: Int) throws {
        try write { db in
            try db.execute(sql: "CREATE TABLE IF NOT EXISTS t(id INTEGER PRIMARY KEY, text)")
            try db.execute(sql: "INSERT INTO t VALUES (?, zeroblob(200))", arguments: [row])
        }
    }

    fileprivate func rows() throws -> [Int] {
        try read { db in try Int.fetchAll(db, sql: "SELECT id FROM t ORDER BY id") }
    }

    fileprivate func unsynced() throws {
        try writeWithoutTransaction { db in try db.execute(sql: "PRAGMA synchronous = OFF") }
    }
}
