/// The end of a plan file: the member `integrity`, a hash of every byte before it.
struct PlanSeal {
    /// The SHA-256 of the bytes before it.
    let digest: Digest

    private static let start = Array(",\n  \"integrity\": \"".utf8)
    private static let end = Array("\"\n}\n".utf8)
    /// The length of `sha256:` and 64 digits.
    private static let digestLength = 71

    init(of bytes: ArraySlice<UInt8>) { digest = Digest(of: bytes) }

    /// The bytes to append to a plan file.
    var bytes: [UInt8] { Self.start + Array(digest.description.utf8) + Self.end }

    /// Returns the contents of a plan file before its seal; nil when the seal is missing or wrong.
    static func unsealed(_ file: [UInt8]) -> ArraySlice<UInt8>? {
        let length = start.count + digestLength + end.count
        guard file.count > length else { return nil }
        let unsealed = file.dropLast(length)
        return file.suffix(length).elementsEqual(PlanSeal(of: unsealed).bytes) ? unsealed : nil
    }
}
