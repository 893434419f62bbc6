/// What the value of a JSON text takes, told from the text before anything is made of it.
struct JSONMemory {
    private var scanner: JSONScanner
    /// What the value may still take.
    private var left: Int
    /// How many members the lists and objects that are open have so far.
    private var members: [Int] = []

    /// Where a text has more values than `memory` holds; nil when it has not, or is no JSON before that place.
    static func excess(of bytes: UnsafeBufferPointer<UInt8>, over memory: Int) -> Int? {
        // No byte costs more than a bracket.
        guard bytes.count > memory / (listSize + valueSize) else { return nil }
        var measure = JSONMemory(scanner: JSONScanner(bytes), left: memory)
        return measure.excess()
    }

    private mutating func excess() -> Int? {
        while left >= 0 {
            switch scanner.next() {
            case 0: return nil
            case UInt8(ascii: "\""):
                guard let text = try? scanner.string() else { return nil }
                spend(on: text)
                continue
            case UInt8(ascii: "["), UInt8(ascii: "{"):
                if !isEmpty { left -= Self.listSize + Self.valueSize }
                members.append(0)
            case UInt8(ascii: "]"), UInt8(ascii: "}"):
                if let count = members.popLast(), count > JSONObject.few { left -= count * Self.placeSize }
            case UInt8(ascii: ","): left -= Self.valueSize
            case UInt8(ascii: ":"):
                left -= Self.memberSize - Self.valueSize
                if !members.isEmpty { members[members.count - 1] += 1 }
            default: break
            }
            scanner.index += 1
        }
        return scanner.index
    }

    /// Whether the list or object that begins here ends at once: those share one place in memory.
    private var isEmpty: Bool {
        let next = scanner.index + 1
        return next < scanner.bytes.count
            && (scanner.bytes[next] == UInt8(ascii: "]") || scanner.bytes[next] == UInt8(ascii: "}"))
    }

    private mutating func spend(on text: JSONScanner.StringToken) {
        // An escape has at least twice the bytes of what it says.
        let count = text.isEscaped ? text.place.count / 2 : text.place.count
        // Shorter ones are kept in place.
        if count > 15 { left -= Self.stringSize + count }
    }

    private static let valueSize = MemoryLayout<JSONValue>.stride
    private static let memberSize = MemoryLayout<JSONObject.Element>.stride
    /// What a text takes beside its bytes, with what the allocator adds.
    private static let stringSize = 48
    /// What a list or an object takes beside its elements, with what the allocator adds.
    private static let listSize = 48
    /// What a member takes in the table of a large object, with what the allocator adds.
    private static let placeSize = 16
}
