package import Base

extension Plan {
    /// The plan as described in docs/reference/plan-file.md#design, with its `integrity`.
    package var json: JSONValue {
        var json = Self.record.json(of: self).unordered
        json["integrity"] = .string(PlanSeal(of: savedBytesWithoutSeal[...]).digest.description)
        return json
    }

    /// Encodes the plan file, signed with the key unless that is nil.
    ///
    /// Its last member, `integrity`, is the SHA-256 of every byte before that member, so any change to the file is
    /// detected. It holds no secret, because a plan holds none.
    ///
    /// - Returns: the bytes that `plan --out` and `--format json` write; equal plans give equal bytes.
    package func savedBytes(signedWith key: PlanKey? = nil) -> [UInt8] {
        var bytes = savedBytesWithoutSeal
        if let key { bytes += key.signature(of: bytes[...]) }
        bytes += PlanSeal(of: bytes[...]).bytes
        return bytes
    }

    /// Everything before the member `integrity`.
    private var savedBytesWithoutSeal: [UInt8] {
        // The text ends with a newline, a brace and another newline.
        // A change with its request and looks takes about 4 KB, a diagnostic half a KB.
        var bytes = Self.record.json(of: self).bytes(
            reserving: changes.count * 4500 + diagnostics.count * 500 + 4096)
        bytes.removeLast(3)
        return bytes
    }
}
