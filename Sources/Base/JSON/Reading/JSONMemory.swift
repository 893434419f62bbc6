/// The memory that the value of a JSON text will take, estimated from the text before anything is allocated.
struct JSONMemory {
    private var scanner: JSONScanner
    /// The remaining memory.
    private var left: Int
    /// The number of members so far in each open array and object.
    private var members: [Int] = []

    /// The place where a text's values exceed `memory`; nil when they do not, or the text is not valid JSON before that
    /// place.
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

    /// True if the array or object that begins here ends at once: empty ones share one allocation.
    private var isEmpty: Bool {
        let next = scanner.index + 1
        return next < scanner.bytes.count
            && (scanner.bytes[next] == UInt8(ascii: "]") || scanner.bytes[next] == UInt8(ascii: "}"))
    }

    private mutating func spend(on text: JSONScanner.StringToken) {
        // An escape is at least twice as long as the text it encodes.
        let count = text.isEscaped ? text.place.count / 2 : text.place.count
        // Shorter strings are stored inline.
        if count > 15 { left -= Self.stringSize + count }
    }

    private static let valueSize = MemoryLayout<JSONValue>.stride
    private static let memberSize = MemoryLayout<JSONObject.Element>.stride
    /// The overhead of a string beside its bytes, including the allocator's.
    private static let stringSize = 48
    /// The overhead of an array or object beside its elements, including the allocator's.
    private static let listSize = 48
    /// The size of a member in the table of a large object, including the allocator's overhead.
    private static let placeSize = 16
}
