internal import PushModel

/// Walks over the fields of a snapshot file, line by line.
struct SnapshotFields {
    private let bytes: [UInt8]
    private var index = 0
    /// Where the current line ends.
    private var lineEnd = 0
    /// The number of the current line, from 1; 0 before the first.
    private(set) var line = 0

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// Goes to the next line; false after the last. A last line without its newline is no line.
    mutating func nextLine() -> Bool {
        index = line == 0 ? 0 : lineEnd + 1
        guard index < bytes.count, let end = bytes[index...].firstIndex(of: UInt8(ascii: "\n")) else { return false }
        lineEnd = end
        line += 1
        return true
    }

    /// Whether nothing follows the current line.
    var isAtEndOfFile: Bool { lineEnd + 1 == bytes.count }

    /// What a damage in the current line is called.
    var damage: SnapshotError { .damaged(line: max(line, 1)) }

    /// Whether the current line has another field.
    var hasMore: Bool { index <= lineEnd }

    /// The next field as it stands; nil when the line has no more.
    private mutating func next() -> ArraySlice<UInt8>? {
        guard index <= lineEnd else { return nil }
        var end = index
        while end < lineEnd, bytes[end] != UInt8(ascii: "\t") { end += 1 }
        let field = bytes[index..<end]
        index = end + 1
        return field
    }

    /// The next field; nil when it is `-`.
    ///
    /// - Throws: ``SnapshotError`` with `damaged` when the line has no more fields.
    mutating func optionalText() throws(SnapshotError) -> String? {
        guard let field = next() else { throw damage }
        if field.count == 1, field.first == UInt8(ascii: "-") { return nil }
        guard field.contains(UInt8(ascii: "%")) else { return String(decoding: field, as: UTF8.self) }
        var text: [UInt8] = []
        var rest = field
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                text.append(byte)
                continue
            }
            guard let value = UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16) else { throw damage }
            rest = rest.dropFirst(2)
            text.append(value)
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// The kind of the current line, read as its first field; nil when this version does not know it.
    mutating func record() -> SnapshotRecord? {
        guard let field = next() else { return nil }
        // Nearly all lines are ledger entries.
        if field.elementsEqual(Self.entry) { return .entry }
        return SnapshotRecord(rawValue: String(decoding: field, as: UTF8.self))
    }

    private static let entry = Array(SnapshotRecord.entry.rawValue.utf8)

    /// The next field, which must be there.
    ///
    /// - Throws: ``SnapshotError`` with `damaged`.
    mutating func text() throws(SnapshotError) -> String { try must(try optionalText()) }

    /// The next field, a whole number.
    ///
    /// - Throws: ``SnapshotError`` with `damaged`.
    mutating func integer() throws(SnapshotError) -> Int { try must(try optionalInteger()) }

    /// The next field, a whole number, or nil for `-`.
    ///
    /// - Throws: ``SnapshotError`` with `damaged`.
    mutating func optionalInteger() throws(SnapshotError) -> Int? {
        guard let field = next() else { throw damage }
        if field.count == 1, field.first == UInt8(ascii: "-") { return nil }
        let digits = field.first == UInt8(ascii: "-") ? field.dropFirst() : field
        // Eighteen digits cannot overflow.
        guard (1...18).contains(digits.count) else { throw damage }
        var number = 0
        for digit in digits {
            guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(digit) else { throw damage }
            number = number * 10 + Int(digit - UInt8(ascii: "0"))
        }
        return digits.count == field.count ? number : -number
    }

    /// The next field, `yes` or `no`.
    ///
    /// - Throws: ``SnapshotError`` with `damaged`.
    mutating func flag() throws(SnapshotError) -> Bool {
        switch try text() {
        case "yes": return true
        case "no": return false
        default: throw damage
        }
    }

    /// The next field, an instant.
    ///
    /// - Throws: ``SnapshotError`` with `damaged`.
    mutating func instant() throws(SnapshotError) -> Instant { try must(try optionalInstant()) }

    /// The next field, an instant, or nil for `-`.
    ///
    /// - Throws: ``SnapshotError`` with `damaged`.
    mutating func optionalInstant() throws(SnapshotError) -> Instant? {
        guard let text = try optionalText() else { return nil }
        return try must(Instant(text))
    }

    /// The next field, a delivery's id.
    ///
    /// - Throws: ``SnapshotError`` with `damaged`.
    mutating func deliveryID() throws(SnapshotError) -> DeliveryID { try must(try optionalDeliveryID()) }

    /// The next field, a delivery's id, or nil for `-`.
    ///
    /// - Throws: ``SnapshotError`` with `damaged`.
    mutating func optionalDeliveryID() throws(SnapshotError) -> DeliveryID? {
        guard let field = next() else { throw damage }
        if field.count == 1, field.first == UInt8(ascii: "-") { return nil }
        return try must(DeliveryID(utf8: field))
    }

    /// The next field, an occurrence, or nil for `-`.
    ///
    /// - Throws: ``SnapshotError`` with `damaged`.
    mutating func optionalOccurrence() throws(SnapshotError) -> Occurrence? {
        guard let text = try optionalText() else { return nil }
        return try must(Occurrence(text))
    }

    /// The next field, a hash.
    ///
    /// - Throws: ``SnapshotError`` with `damaged`.
    mutating func digest() throws(SnapshotError) -> Digest { try must(try optionalDigest()) }

    /// The next field, a hash, or nil for `-`.
    ///
    /// - Throws: ``SnapshotError`` with `damaged`.
    mutating func optionalDigest() throws(SnapshotError) -> Digest? {
        guard let field = next() else { throw damage }
        if field.count == 1, field.first == UInt8(ascii: "-") { return nil }
        return try must(Digest(utf8: field))
    }

    /// A value that must be there.
    ///
    /// - Throws: ``SnapshotError`` with `damaged`, naming the current line.
    func must<Value>(_ value: Value?) throws(SnapshotError) -> Value {
        guard let value else { throw damage }
        return value
    }
}
