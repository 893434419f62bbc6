/// The decompressed form of a byte source.
final class InflatedBytes: ByteSource {
    /// The first bytes of a gzip file.
    static let gzipMark: [UInt8] = [0x1F, 0x8B]

    private let packed: ByteReader
    private let form: Inflater.Form
    private let inflater: Inflater
    private var input: ArraySlice<UInt8> = []
    private var isOver = false

    init(_ packed: ByteReader, _ form: Inflater.Form) throws(ArchiveError) {
        self.packed = packed
        self.form = form
        inflater = try Inflater(form, name: packed.name)
    }

    func next() throws(ArchiveError) -> [UInt8] {
        while !isOver {
            if input.isEmpty { input = try packed.next()[...] }
            let isAtEnd = input.isEmpty
            let step = try inflater.step(input)
            input = input.dropFirst(step.consumed)
            if step.isAtEnd { try end() }
            if !step.output.isEmpty { return step.output }
            if isAtEnd, !step.isAtEnd { throw .cutOff(packed.name, at: packed.count) }
        }
        return []
    }

    /// Continues after the end of a stream: another gzip stream may follow, and zeros are padding.
    private func end() throws(ArchiveError) {
        isOver = true
        guard form == .gzip else { return }
        if input.count < 2 { input = Array(input)[...] + (try packed.next()) }
        if input.starts(with: Self.gzipMark) {
            inflater.reset()
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
}
