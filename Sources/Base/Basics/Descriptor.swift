internal import CLibrary

/// Writing to an open file, a terminal or a pipe.
package enum Descriptor {
    /// Writes all bytes.
    ///
    /// - Throws: ``SystemError`` when not all of them could be written.
    package static func write(_ bytes: [UInt8], to descriptor: Int32) throws(SystemError) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { CLibrary.write(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw SystemError() }
            rest = rest.dropFirst(count)
        }
    }

    /// Writes text to standard error in one go, so that lines of several threads do not mix; a reader that is gone is not
    /// an error.
    @Sendable package static func writeToStandardError(_ text: String) {
        try? write(Array(text.utf8), to: STDERR_FILENO)
    }
}
