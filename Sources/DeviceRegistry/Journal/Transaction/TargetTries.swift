/// The badges of a batch's devices and the number of attempts, in packed form: four bytes and two.
struct TargetTries: Sendable {
    /// The packed bytes.
    private(set) var bytes: [UInt8] = []

    /// Creates empty tries.
    init() {}

    /// Decodes the packed bytes of `count` devices, nil for a first attempt without badges; fails when they are
    /// damaged.
    init?(_ written: [UInt8]?, count: Int) {
        guard let written else { return }
        guard written.count == count * Self.width else { return nil }
        bytes = written
    }

    private static let width = 6

    /// True for a first attempt without badges.
    var isEmpty: Bool { bytes.isEmpty }

    /// Adds a device; the badge is 0 for none.
    mutating func append(badge: Int, attempts: Int) {
        withUnsafeBytes(of: UInt32(clamping: badge).littleEndian) { bytes.append(contentsOf: $0) }
        withUnsafeBytes(of: UInt16(clamping: attempts).littleEndian) { bytes.append(contentsOf: $0) }
    }

    /// A device's badge, 0 for none, and its number of attempts.
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
