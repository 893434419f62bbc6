internal import PushModel

/// The end of a plan file: the member `integrity`, which speaks for every byte before it.
struct PlanSeal {
    /// The SHA-256 of what stands before it.
    let digest: Digest

    private static let start = Array(",\n  \"integrity\": \"".utf8)
    private static let end = Array("\"\n}\n".utf8)
    /// `sha256:` and 64 digits.
    private static let digestLength = 71

    init(of bytes: ArraySlice<UInt8>) { digest = Digest(of: bytes) }

    /// The bytes that are appended to a plan file.
    var bytes: [UInt8] { Self.start + Array(digest.description.utf8) + Self.end }

    /// Whether a plan file ends with the seal of what stands before it.
    static func holds(for file: [UInt8]) -> Bool {
        let length = start.count + digestLength + end.count
        guard file.count > length else { return false }
        let seal = PlanSeal(of: file.dropLast(length))
        return file.suffix(length).elementsEqual(seal.bytes)
    }
}
