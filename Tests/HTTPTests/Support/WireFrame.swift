internal import Testing

/// A frame of HTTP/2 that was written (RFC 9113, 4.1).
struct WireFrame {
    enum Kind: UInt8 {
        case data, headers, priority, reset, settings, pushPromise, ping, goAway, windowUpdate, continuation
    }

    let kind: Kind
    let flags: UInt8
    let stream: Int
    let payload: [UInt8]

    /// The frames of which bytes consist.
    static func all(in bytes: [UInt8]) throws -> [WireFrame] {
        var frames: [WireFrame] = []
        var rest = bytes[...]
        while !rest.isEmpty {
            let head = Array(rest.prefix(9))
            try #require(head.count == 9)
            let kind = try #require(Kind(rawValue: head[3]))
            let length = Int(head[0]) << 16 | Int(head[1]) << 8 | Int(head[2])
            let payload = Array(rest.dropFirst(9).prefix(length))
            try #require(payload.count == length)
            let stream = Int(head[7]) << 8 | Int(head[8])
            frames.append(WireFrame(kind: kind, flags: head[4], stream: stream, payload: payload))
            rest = rest.dropFirst(9 + length)
        }
        return frames
    }
}

/// The bytes of a frame.
func frame(_ kind: WireFrame.Kind, flags: UInt8 = 0, stream: UInt8 = 0, _ payload: [UInt8] = []) -> [UInt8] {
    let size: [UInt8] = [0, UInt8(payload.count >> 8), UInt8(payload.count & 255)]
    let rest: [UInt8] = [kind.rawValue, flags, 0, 0, 0, stream]
    return size + rest + payload
}
