internal import CCurl

/// The one header line of a request that no other has, ahead of those it shares: the head of libcurl's list.
///
/// It is written over for each request, so that no list is made.
@safe
final class OwnHeader {
    /// Values may have so many bytes.
    static let maximumValue = 64

    /// The list's first entry, for `CURLOPT_HTTPHEADER`; the rest follows it.
    private let node: UnsafeMutablePointer<curl_slist>
    private let text: UnsafeMutableRawBufferPointer
    private let nameLength: Int
    private(set) var valueLength = 0
    /// Keeps the shared headers alive for as long as the node points at them.
    private var shared: PumpHeaders?

    /// Makes room for a header of this name.
    init(name: String) {
        let start = Array(name.utf8) + [0x3a, 0x20]
        nameLength = start.count
        // Freed in deinit; one more for the zero at the end.
        unsafe text = .allocate(byteCount: start.count + Self.maximumValue + 1, alignment: 1)
        unsafe text.initializeMemory(as: UInt8.self, repeating: 0)
        unsafe text.copyBytes(from: start)
        // Freed in deinit.
        unsafe node = .allocate(capacity: 1)
        unsafe node.initialize(
            to: curl_slist(data: text.baseAddress?.assumingMemoryBound(to: CChar.self), next: nil))
    }

    deinit {
        // The one owner; the handle that reads them has been freed or holds another list.
        unsafe node.deallocate()
        unsafe text.deallocate()
    }

    /// The list, for an easy handle that lives no longer than this object.
    @unsafe
    var raw: UnsafeMutableRawPointer {
        // The same pointer.
        unsafe UnsafeMutableRawPointer(node)
    }

    /// Takes a request's value, cut at the maximum, and the headers that follow.
    func set(_ value: [UInt8], then headers: PumpHeaders) {
        valueLength = min(value.count, Self.maximumValue)
        // The room for it and the zero was made in init.
        unsafe UnsafeMutableRawBufferPointer(rebasing: text[nameLength...]).copyBytes(from: value.prefix(valueLength))
        unsafe text[nameLength + valueLength] = 0
        // Kept in `shared`.
        unsafe node.pointee.next = headers.list.first
        shared = headers
    }

    /// Whether a header line of an answer has the same name; compared without regard to case.
    @unsafe
    func hasName(of line: UnsafeRawBufferPointer) -> Bool {
        // The name and its colon; what stands after it is compared apart.
        guard line.count >= nameLength - 1 else { return false }
        return unsafe isSame(line, from: 0, to: nameLength - 1)
    }

    /// Whether that line has the same value; compared without regard to case.
    @unsafe
    func hasValue(of line: UnsafeRawBufferPointer) -> Bool {
        let end = nameLength + valueLength
        // The length is looked at first.
        guard line.count >= end, unsafe isSame(line, from: nameLength, to: end) else { return false }
        return unsafe line[end...].allSatisfy { $0 <= 0x20 }
    }

    @unsafe
    private func isSame(_ line: UnsafeRawBufferPointer, from start: Int, to end: Int) -> Bool {
        for index in start..<end {
            // Both are at least `end` long; 0x20 tells small letters from capitals.
            let (left, right) = unsafe (line[index], text[index])
            if left != right && (left | 0x20 != right | 0x20 || !(0x61...0x7a).contains(left | 0x20)) { return false }
        }
        return true
    }
}

@available(*, unavailable, message: "a header belongs to its request")
extension OwnHeader: Sendable {}
