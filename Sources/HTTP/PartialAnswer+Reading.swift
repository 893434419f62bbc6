extension PartialAnswer {
    /// Appends decompressed bytes; false when the body has become too large.
    mutating func append(body part: UnsafeRawBufferPointer) -> Bool {
        guard body.count + part.count <= Self.maximumBody else {
            isTooLarge = true
            return false
        }
        // The bytes are copied.
        unsafe body.append(contentsOf: part)
        return true
    }

    /// Appends a line of the headers with its line end; false when the headers have become too large.
    ///
    /// A line that begins with `HTTP/` starts an answer: whatever came before was an interim one.
    mutating func append(headLine bytes: UnsafeRawBufferPointer) -> Bool {
        headBytes += bytes.count
        guard headBytes <= Self.maximumHead else {
            isTooLarge = true
            return false
        }
        // The bytes are copied.
        let line = unsafe Array(bytes).trimmed[...]
        if line.starts(with: "HTTP/".utf8) {
            fields = []
            hasWholeHead = false
        } else if line.isEmpty {
            hasWholeHead = true
        } else if let colon = line.firstIndex(of: UInt8(ascii: ":")) {
            let name = String(decoding: line[..<colon], as: UTF8.self)
            let value = String(decoding: Array(line[(colon + 1)...]).trimmed, as: UTF8.self)
            fields.append(HTTPHeaders.Field(name, value))
        }
        return true
    }
}

extension [UInt8] {
    /// The bytes without surrounding spaces, tabs and line ends.
    fileprivate var trimmed: ArraySlice<UInt8> {
        let isSpace = { (byte: UInt8) in [0x20, 0x09, 0x0d, 0x0a].contains(byte) }
        guard let first = firstIndex(where: { !isSpace($0) }), let last = lastIndex(where: { !isSpace($0) }) else {
            return []
        }
        return self[first...last]
    }
}
