import Foundation

/// Whether the long tests are wanted.
let isLong = ProcessInfo.processInfo.environment["BUGLE_LONG_TESTS"] == "1"

/// The memory that this process occupies.
func residentBytes() throws -> Int {
    let fields = try String(contentsOfFile: "/proc/self/statm", encoding: .utf8).split(separator: " ")
    return (fields.count > 1 ? Int(fields[1]) ?? 0 : 0) * 4096
}
