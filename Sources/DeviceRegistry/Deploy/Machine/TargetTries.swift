/// The badges of a batch's devices and how often each was tried, as they are written down: four bytes and two.
struct TargetTries: Sendable {
    /// What is written.
    private(set) var bytes: [UInt8] = []

    /// None.
    init() {}

    /// Reads what was written of so many devices, and nothing of a first try without badges; nil when it is damaged.
    init?(_ written: [UInt8]?, count: Int) {
        guard let written else { return }
        guard written.count == count * Self.width else { return nil }
        bytes = written
    }

    private static let width = 6

    /// Whether nothing is written: a first try without badges.
    var isEmpty: Bool { bytes.isEmpty }

    /// Adds a device; no badge is 0.
    mutating func append(badge: Int, attempts: Int) {
        withUnsafeBytes(of: UInt32(clamping: badge).littleEndian) { bytes.append(contentsOf: $0) }
        withUnsafeBytes(of: UInt16(clamping: attempts).littleEndian) { bytes.append(contentsOf: $0) }
    }

    /// A device's badge, 0 for none, and how often it was tried.
    subscript(index: Int) -> (badge: Int, attempts: Int) {
        guard !bytes.isEmpty else { return (0, 0) }
        return bytes.withUnsafeBytes { bytes in
            let start = index * Self.width
            return (
                Int(UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: start, as: UInt32.self))),
                Int(UInt16(littleEndian: bytes.loadUnaligned(fromByteOffset: start + 4, as: UInt16.self)))
            )
        }
    }
}
