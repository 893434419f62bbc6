package import Base
internal import Crypto
internal import FoundationEssentials

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
        var bytes = Self.record.json(of: self).bytes(reserving: changes.count * 4500 + diagnostics.count * 500 + 4096)
        bytes.removeLast(3)
        return bytes
    }
}

// MARK: - Reading

extension Plan {
    /// Reads a plan file that ``savedBytes()`` wrote, or a later minor version of it.
    ///
    /// - Throws: ``SavedFileError`` for anything else, for another major format, and when any byte differs from what
    ///   was written.
    package static func read(saved bytes: [UInt8]) throws(SavedFileError) -> Plan {
        guard PlanSeal.unsealed(bytes) != nil else { throw unsealed(bytes) }
        return try read(sealed: bytes)
    }

    fileprivate static func read(sealed bytes: [UInt8]) throws(SavedFileError) -> Plan {
        guard let outline = JSONOutline(of: bytes),
            let head = document(outline.emptying(["changes", "diagnostics"]))
        else { throw .notAPlan("it cannot be read") }
        try checkVersion(head)
        var plan: Plan
        do throws(RecordError) {
            plan = try record.read(head)
            plan.changes = try outline.elements("changes", Change.record)
            plan.diagnostics = try outline.elements("diagnostics", DiagnosticRecord.ofPlan).sortedForPrinting()
        } catch {
            throw .notAPlan(error.text())
        }
        plan.changes.sort(by: Change.precedes)
        return plan
    }

    /// Parses a JSON text.
    static func document(_ bytes: some Sequence<UInt8>) -> JSONValue? {
        try? JSONValue(parsing: bytes, limits: .anyMemory)
    }

    private static func checkVersion(_ head: JSONValue) throws(SavedFileError) {
        guard let version = head["formatVersion"]?.string else { throw .notAPlan("it has no formatVersion") }
        guard let major = version.split(separator: ".").first.flatMap({ Int($0) }) else {
            throw .notAPlan("its formatVersion is not a version")
        }
        guard major == BugleVersion.majorFormat else {
            throw .majorVersion(version, tool: head["tool"]?.string)
        }
    }

    /// Returns the error for a file without a valid seal.
    fileprivate static func unsealed(_ bytes: [UInt8]) -> SavedFileError {
        guard let head = document(bytes), head.object != nil else {
            let looksLikePlan = bytes.starts(with: "{\n  \"formatVersion\"".utf8)
            return looksLikePlan ? .damaged : .notAPlan("it is not JSON with a formatVersion")
        }
        do throws(SavedFileError) {
            try checkVersion(head)
        } catch {
            return error
        }
        guard head["integrity"] == nil, head["changes"] == nil else { return .damaged }
        return .notAPlan("it holds diagnostics or results, and no changes")
    }
}

extension JSONOutline {
    /// Reads the elements of a list, on all cores.
    ///
    /// - Throws: `RecordError` that names the first invalid element.
    func elements<Element: Sendable>(_ member: String, _ record: Record<Element>) throws(RecordError) -> [Element] {
        let places: [Range<Int>]
        switch self.member(member) {
        case .list(let list): places = list
        case .missing: throw RecordError(.missing).under(member)
        case .other: throw RecordError(.type).under(member)
        }
        let results = [Result<Element, RecordError>](concurrently: places.count) { index in
            guard let value = Plan.document(bytes[places[index]]) else { return .failure(RecordError(.unreadable)) }
            return Result { () throws(RecordError) in try record.read(value) }
        }
        var elements: [Element] = []
        elements.reserveCapacity(results.count)
        for (index, result) in results.enumerated() {
            do throws(RecordError) {
                elements.append(try result.get())
            } catch {
                throw error.at(index).under(member)
            }
        }
        return elements
    }
}

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

/// The key that signs plans (`BUGLE_PLAN_KEY`): without it nobody can make a plan that an apply with the key accepts.
///
/// The file's member `signature` is the HMAC-SHA-256 of every byte before that member.
package struct PlanKey: Sendable {
    private let key: SymmetricKey

    /// The minimum length of a key in bytes.
    package static let fewestBytes = 32

    private static let start = Array(",\n  \"signature\": \"hmac-sha256:".utf8)
    private static let end = UInt8(ascii: "\"")
    private static let digits = 64
    private static let length = start.count + digits + 1

    /// Creates a key; nil when it is too short.
    package init?(_ secret: Secret) {
        guard secret.revealedBytes.count >= Self.fewestBytes else { return nil }
        key = SymmetricKey(data: secret.revealedBytes)
    }

    /// Returns the bytes to append to a plan file, before its seal.
    func signature(of bytes: ArraySlice<UInt8>) -> [UInt8] {
        Self.start + Array(HMAC<SHA256>.authenticationCode(for: bytes, using: key).hexadecimal.utf8) + [Self.end]
    }

    /// True if a plan file has a valid signature of this key.
    package func hasSigned(_ file: [UInt8]) -> Bool {
        guard let unsealed = PlanSeal.unsealed(file), unsealed.count > Self.length else { return false }
        let expected = signature(of: unsealed.dropLast(Self.length))
        // Compares every byte, in constant time.
        return zip(expected, unsealed.suffix(Self.length)).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
    }

    /// True if a plan file has a signature of any key.
    package static func isSigned(_ file: [UInt8]) -> Bool {
        PlanSeal.unsealed(file)?.suffix(length).starts(with: start) ?? false
    }
}

/// The reason why a file that bugle wrote cannot be read: one that cannot be shown or applied as a plan, which is
/// always exit code 9, or a recorded remote state.
package struct SavedFileError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The fault and the remedy, in one sentence.
    package let description: String
}

extension SavedFileError {
    /// The file was a plan, but some byte has changed.
    static var damaged: SavedFileError {
        SavedFileError(
            description: "the plan file was altered or damaged after it was written; plan again with --out")
    }

    /// The file is not a plan, or has members that no plan of this version has.
    static func notAPlan(_ reason: String) -> SavedFileError {
        SavedFileError(description: "not a plan file of bugle: \(reason); 'bugle plan --out FILE' writes one")
    }

    /// The file was written by a later program, in an unknown format.
    static func majorVersion(_ version: String, tool: String?) -> SavedFileError {
        SavedFileError(
            description: """
                the plan file has format \(version)\(tool.map { ", written by \($0)" } ?? ""), and \
                \(BugleVersion.tool) reads format \(BugleVersion.majorFormat); plan again with this version
                """)
    }
}

/// The output of `bugle plan --out` or `--format json`: a plan, or the reason why there is none.
package enum SavedReview: Hashable, Sendable {
    case plan(Plan)
    case diagnostics([Diagnostic])
    case fleet([Member])

    /// What was planned of one workspace of many.
    package struct Member: Hashable, Sendable {
        package var folder: String
        package var exitCode: Int
        package var message: String?
        package var review: SavedReview
    }

    /// Reads a file written by `bugle plan`.
    ///
    /// - Throws: ``SavedFileError`` as ``Plan/read(saved:)`` does, and for unreadable diagnostics.
    package static func read(_ bytes: [UInt8]) throws(SavedFileError) -> SavedReview {
        guard let file = try FleetFile.read(bytes) else { return try readOne(bytes) }
        var members: [Member] = []
        for entry in file.entries {
            members.append(
                Member(
                    folder: entry.folder, exitCode: entry.exitCode, message: entry.message,
                    review: try readOne(entry.written)))
        }
        return .fleet(members)
    }

    private static func readOne(_ bytes: [UInt8]) throws(SavedFileError) -> SavedReview {
        // Only a plan ends with a seal.
        guard PlanSeal.unsealed(bytes) == nil else { return .plan(try Plan.read(sealed: bytes)) }
        guard let document = Plan.document(bytes), document["integrity"] == nil, document["changes"] == nil,
            let list = document["diagnostics"],
            document["formatVersion"]?.string?.split(separator: ".").first == "\(BugleVersion.majorFormat)"
        else { throw Plan.unsealed(bytes) }
        do throws(RecordError) {
            return .diagnostics(try JSONForm<[Diagnostic]>.list(of: .record(DiagnosticRecord.ofFiles)).read(list))
        } catch {
            throw .notAPlan(error.text(in: "diagnostics"))
        }
    }
}
