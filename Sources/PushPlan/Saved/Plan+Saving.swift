package import JSONValue
package import PushModel

extension Plan {
    /// The plan as cli.md shows it, with its `integrity`.
    package var json: JSONValue {
        var json = OrderedJSON.object(members).unordered
        json["integrity"] = .string(PlanSeal(of: savedBytesWithoutSeal[...]).digest.description)
        return json
    }

    /// The plan file: the bytes that `plan --out` and `--format json` write; the same for equal plans.
    ///
    /// Its last member, `integrity`, is the SHA-256 of every byte before that member, so that a change of any byte of
    /// the file is noticed. It holds no secret, because a plan holds none.
    ///
    /// - Parameter key: signs it; nil: it bears no signature.
    package func savedBytes(signedWith key: PlanKey? = nil) -> [UInt8] {
        var bytes = savedBytesWithoutSeal
        if let key { bytes += key.signature(of: bytes[...]) }
        bytes += PlanSeal(of: bytes[...]).bytes
        return bytes
    }

    /// Everything before the member `integrity`.
    private var savedBytesWithoutSeal: [UInt8] {
        // An object ends with a newline, a brace and another newline.
        // A change with its request and looks takes about 4 KB, a diagnostic half a KB.
        var bytes = OrderedJSON.object(members).bytes(reserving: changes.count * 4500 + diagnostics.count * 500 + 4096)
        bytes.removeLast(3)
        return bytes
    }

    private var members: [(String, OrderedJSON)] {
        let (changes, diagnostics) = (changes, diagnostics)
        var members: [(String, OrderedJSON)] = [
            ("formatVersion", .string(BugleVersion.format)),
            ("tool", .string(BugleVersion.tool)),
            ("desired", .string(desired.description)),
            ("lastApplied", lastApplied?.orderedJSON ?? .null),
            ("workspace", .string(workspace)),
            ("remote", .string(remote.name)),
            ("remoteType", .string(remote.type.rawValue)),
            ("remoteTitle", .string(remote.title)),
            ("remoteFingerprint", .string(remote.fingerprint.description)),
            ("createdAt", .string(createdAt.exactText)),
            ("expiresAt", .string(expiresAt.exactText)),
        ]
        // Only when it is set, so that other plans stay as they are.
        if let language { members.append(("language", .string(language.rawValue))) }
        if isSimulated { members.append(("simulated", .value(true))) }
        if !targets.isEmpty { members.append(("targets", .value(.array(targets.map { .string($0) })))) }
        members.append(("changes", .list(changes.count) { changes[$0].orderedJSON }))
        members.append(("diagnostics", .list(diagnostics.count) { diagnostics[$0].orderedJSON }))
        members.append(("summary", summary.orderedJSON))
        if calendar != PlanCalendar() { members.append(("calendar", calendar.orderedJSON)) }
        if !certificates.isEmpty { members.append(("certificates", .array(certificates.map(\.orderedJSON)))) }
        return members
    }
}

extension LastApplied {
    /// The members that cli.md lists, with the commit's own time.
    package var orderedJSON: OrderedJSON {
        [
            "commit": .string(commit),
            "committedAt": .string(committedAt?.exactText),
            "at": .string(at.exactText),
            "run": .string(run),
        ]
    }
}
