/// The limits on a JSON text; a text that exceeds one is rejected, with the place where it does.
package struct JSONLimits: Hashable, Sendable {
    /// The maximum nesting depth of arrays and objects.
    package var depth: Int
    /// The maximum length of the text in bytes.
    package var bytes: Int
    /// The maximum length of a number in bytes.
    package var digits: Int
    /// The memory in bytes that the value may take, in addition to ``memoryPerByte`` for each byte of the text.
    ///
    /// A value takes 24 bytes, a member 40, an array or object another 48: enough for any reasonable text, not for
    /// millions of empty objects. A long array takes twice as much while it grows.
    package var memory: Int
    /// The memory in bytes that the value may take for each byte of the text, in addition to ``memory``.
    package var memoryPerByte: Int
    /// True when an object that has a name twice is an error; otherwise the first member of a name wins.
    package var hasUniqueNames = false

    /// Creates limits; omitted ones have their defaults.
    package init(
        depth: Int = 128, bytes: Int = 1 << 30, digits: Int = 1024, memory: Int = 1 << 20, memoryPerByte: Int = 4
    ) {
        self.depth = depth
        self.bytes = bytes
        self.digits = digits
        self.memory = memory
        self.memoryPerByte = memoryPerByte
    }

    /// Limits for text that bugle wrote itself, and for text whose length is bounded already: any amount of memory.
    ///
    /// Data that was accepted once must stay readable.
    package static let anyMemory = JSONLimits(memory: 1 << 40)

    /// The memory that a text of this length may take.
    func memory(ofText count: Int) -> Int { memory + memoryPerByte * count }
}
