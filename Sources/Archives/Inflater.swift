internal import CZlib

/// Unpacks what deflate packed, piece by piece, in bounded memory.
@safe final class Inflater {
    /// What stands around the packed bytes.
    enum Form {
        /// The head and the checksum of gzip.
        case gzip
        /// Nothing, as in a zip.
        case raw

        fileprivate var windowBits: Int32 { self == .gzip ? 31 : -15 }
    }

    /// What a step came to.
    struct Step {
        /// What was unpacked.
        var output: [UInt8]
        /// How many packed bytes it took.
        var consumed: Int
        /// Whether the packed bytes end here.
        var isAtEnd: Bool
    }

    /// More than this, so many times what was packed, is no export: text packs to a tenth, and zeros to a thousandth.
    private static let mostGrowth: Int64 = 200
    /// Less than this is unpacked whatever it was packed in.
    private static let harmless: Int64 = 64 << 20
    private static let pieceSize = 256 << 10

    private let name: String
    // SAFETY: zlib keeps the stream's address; it is freed in `deinit` only.
    private let stream: UnsafeMutablePointer<z_stream>
    private var packed: Int64 = 0
    private var unpacked: Int64 = 0

    /// Begins.
    init(_ form: Form, name: String) throws(ArchiveError) {
        self.name = name
        unsafe stream = .allocate(capacity: 1)
        unsafe stream.initialize(to: z_stream())
        guard unsafe czlib_inflate_init(stream, form.windowBits) == Z_OK else {
            throw ArchiveError("\(name) cannot be unpacked: zlib has no memory")
        }
    }

    deinit {
        unsafe inflateEnd(stream)
        unsafe stream.deallocate()
    }

    /// Unpacks some of `input`; neither output nor progress means that more input is needed.
    func step(_ input: ArraySlice<UInt8>) throws(ArchiveError) -> Step {
        var output = [UInt8](repeating: 0, count: Self.pieceSize)
        let (status, rest, room) = unsafe input.withUnsafeBufferPointer { input in
            unsafe output.withUnsafeMutableBufferPointer { output in
                unsafe stream.pointee.next_in = UnsafeMutablePointer(mutating: input.baseAddress)
                unsafe stream.pointee.avail_in = UInt32(input.count)
                unsafe stream.pointee.next_out = output.baseAddress
                unsafe stream.pointee.avail_out = UInt32(output.count)
                let status = unsafe inflate(stream, Z_NO_FLUSH)
                return unsafe (status, Int(stream.pointee.avail_in), Int(stream.pointee.avail_out))
            }
        }
        let consumed = input.count - rest
        packed += Int64(consumed)
        guard status == Z_OK || status == Z_STREAM_END || status == Z_BUF_ERROR else {
            throw .damaged(name, at: packed, "what was packed cannot be unpacked")
        }
        output.removeLast(room)
        unpacked += Int64(output.count)
        guard unpacked < max(Self.harmless, packed * Self.mostGrowth) else {
            throw ArchiveError("\(name) unpacks to more than \(Self.mostGrowth) times its size: that is no export")
        }
        return Step(output: output, consumed: consumed, isAtEnd: status == Z_STREAM_END)
    }

    /// Begins anew, behind the end.
    func reset() { _ = unsafe inflateReset(stream) }
}

/// The checksum of zip.
struct Checksum {
    private(set) var value: UInt32 = 0

    /// Takes more bytes into it.
    mutating func add(_ bytes: [UInt8]) {
        value = UInt32(
            unsafe bytes.withUnsafeBufferPointer { buffer in
                unsafe crc32(uLong(value), buffer.baseAddress, UInt32(buffer.count))
            })
    }
}
