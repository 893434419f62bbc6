/// What a JSON text may demand of its reader; what demands more is refused, at the place where it does.
package struct JSONLimits: Hashable, Sendable {
    /// Lists and objects may be nested this deep.
    package var depth: Int
    /// The text may have this many bytes.
    package var bytes: Int
    /// A number may be written with this many bytes.
    package var digits: Int
    /// The value may take this many bytes of memory, and ``memoryPerByte`` for each byte of the text.
    ///
    /// A value takes 24 bytes, a member 40, a list or an object 48 more: enough for any text of some use, not for millions of
    /// empty objects. A long list takes twice as much while it grows.
    package var memory: Int
    /// The value may take this many bytes of memory for each byte of the text, and ``memory``.
    package var memoryPerByte: Int

    /// The limits; what is left out is bounded as everywhere.
    package init(
        depth: Int = 128, bytes: Int = 1 << 30, digits: Int = 1024, memory: Int = 1 << 20, memoryPerByte: Int = 4
    ) {
        self.depth = depth
        self.bytes = bytes
        self.digits = digits
        self.memory = memory
        self.memoryPerByte = memoryPerByte
    }

    /// For what bugle wrote itself, and for texts whose length is bounded already: whatever memory they take.
    ///
    /// What was taken once must be readable for ever.
    package static let anyMemory = JSONLimits(memory: 1 << 40)

    /// The memory that a text may take.
    func memory(ofText count: Int) -> Int { memory + memoryPerByte * count }
}
