internal import CZlib

/// The bytes of a deflate stream, decompressed as they are read, in bounded memory.
@safe final class InflatedBytes: ByteSource {
    /// The format around the compressed bytes.
    enum Form {
        /// A gzip header and checksum.
        case gzip
        /// Raw deflate, as in a zip.
        case raw

        fileprivate var windowBits: Int32 { self == .gzip ? 31 : -15 }
    }

    /// The first bytes of a gzip file.
    static let gzipMark: [UInt8] = [0x1F, 0x8B]
    /// The largest compression ratio accepted: text compresses to about a tenth, zeros to a thousandth.
    private static let mostGrowth: Int64 = 200
    /// The output size in bytes below which any ratio is accepted.
    private static let harmless: Int64 = 64 << 20
    private static let pieceSize = 256 << 10

    private let packed: ByteReader
    private let form: Form
    private var input: ArraySlice<UInt8> = []
    private var isOver = false
    // SAFETY: zlib keeps the stream's address; it is freed only in `deinit`.
    private let stream: UnsafeMutablePointer<z_stream>
    /// The number of compressed bytes that the stream has taken, and of bytes that came out.
    private var consumed: Int64 = 0
    private var produced: Int64 = 0

    init(_ packed: ByteReader, _ form: Form) throws(TransferError) {
        self.packed = packed
        self.form = form
        unsafe stream = .allocate(capacity: 1)
        unsafe stream.initialize(to: z_stream())
        guard unsafe czlib_inflate_init(stream, form.windowBits) == Z_OK else {
            throw TransferError("\(packed.name) cannot be unpacked: zlib has no memory")
        }
    }

    deinit {
        unsafe inflateEnd(stream)
        unsafe stream.deallocate()
    }

    func next() throws(TransferError) -> [UInt8] {
        while !isOver {
            if input.isEmpty { input = try packed.next()[...] }
            let isAtEnd = input.isEmpty
            let step = try step()
            if step.isAtEnd { try end() }
            if !step.output.isEmpty { return step.output }
            if isAtEnd, !step.isAtEnd { throw .cutOff(packed.name, at: packed.count) }
        }
        return []
    }

    /// Continues after the end of a stream: another gzip stream may follow, and zeros are padding.
    private func end() throws(TransferError) {
        isOver = true
        guard form == .gzip else { return }
        if input.count < 2 { input = Array(input)[...] + (try packed.next()) }
        if input.starts(with: Self.gzipMark) {
            _ = unsafe inflateReset(stream)
            isOver = false
            return
        }
        while !input.isEmpty {
            guard input.allSatisfy({ $0 == 0 }) else {
                throw .damaged(packed.name, at: packed.count, "unexpected data follows the compressed data")
            }
            input = try packed.next()[...]
        }
    }

    /// Decompresses some of `input`; no output and no progress mean that more input is needed.
    private func step() throws(TransferError) -> (output: [UInt8], isAtEnd: Bool) {
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
        consumed += Int64(input.count - rest)
        input = input.suffix(rest)
        guard status == Z_OK || status == Z_STREAM_END || status == Z_BUF_ERROR else {
            throw .damaged(packed.name, at: consumed, "the compressed data is invalid")
        }
        output.removeLast(room)
        produced += Int64(output.count)
        guard produced < max(Self.harmless, consumed * Self.mostGrowth) else {
            throw TransferError(
                "\(packed.name) unpacks to more than \(Self.mostGrowth) times its size: that is not an export")
        }
        return (output, status == Z_STREAM_END)
    }
}

/// The CRC-32 checksum of zip.
struct Checksum {
    private(set) var value: UInt32 = 0

    mutating func add(_ bytes: [UInt8]) {
        value = UInt32(
            unsafe bytes.withUnsafeBufferPointer { buffer in
                unsafe crc32(uLong(value), buffer.baseAddress, UInt32(buffer.count))
            })
    }
}
