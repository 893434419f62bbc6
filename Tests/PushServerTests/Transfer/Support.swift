import Base
import DeviceRegistry
import Foundation
import Push
import Subprocess
import SystemPackage
import Testing

@testable import PushServer

extension Registry {
    /// Everything in a class, as text, sorted by id.
    func contents(_ name: String = "_Installation") async throws -> [String] {
        let query = ObjectQuery(limit: 100_000, showsACL: true)
        let found = try await find(query, in: try ClassName(name), as: .master)
        return found.results.sorted { ($0["objectId"]?.string ?? "") < ($1["objectId"]?.string ?? "") }
            .map(\.canonicalText)
    }
}

/// A device as an export spells it.
func device(
    _ number: Int, token: String? = nil, updated: String = "2026-10-02T00:00:00.000Z", _ more: JSONObject = [:]
) -> JSONValue {
    let device: JSONObject = [
        "objectId": .string("id\(number)"), "deviceType": "ios", "deviceToken": .string(token ?? "token\(number)"),
        "channels": ["Giants", "新闻"], "createdAt": "2026-01-02T03:04:05.678Z", "updatedAt": .string(updated),
        "deviceProfile": "driver", "scores": true,
    ]
    return .object(device.merging(more) { $1 })
}

/// Runs a line of the shell in a folder.
func runShell(_ line: String, in folder: URL) async throws {
    let result = try await Subprocess.run(
        .path("/bin/bash"), arguments: ["-euc", line], workingDirectory: FilePath(folder.path),
        output: .string(limit: 4096), error: .string(limit: 65536))
    #expect(result.terminationStatus == .exited(0), "\(result.standardError)")
}

/// Imports bytes that arrive in pieces of a size.
@discardableResult
func imported(
    _ bytes: [UInt8], into registry: Registry, pieces size: Int = 4096, className: String = "_Installation"
) async throws -> TransferReport {
    var rest = bytes[...]
    return try await imported(into: registry, className: className) {
        let piece = Array(rest.prefix(size))
        rest = rest.dropFirst(size)
        return piece
    }
}

/// Imports what a reader gives.
func imported(
    into registry: Registry, className: String = "_Installation",
    reading next: @escaping () throws(TransferError) -> [UInt8]
) async throws -> TransferReport {
    var report = TransferReport(className)
    try await ExportImport(into: registry, className: try transferable(className))
        .run(try ExportStream(reading: next), into: &report)
    return report
}

func imported(_ text: String, into registry: Registry, pieces size: Int = 4096) async throws -> TransferReport {
    try await imported(Array(text.utf8), into: registry, pieces: size)
}
