internal import NIOCore

/// A frame of HTTP/2 as bytes. Source: RFC 9113, 4.1 and 6.
enum Frame {
    /// Any frame.
    static func raw(_ type: UInt8, flags: UInt8 = 0, stream: Int32 = 0, _ payload: [UInt8]) -> [UInt8] {
        let length = payload.count
        return [UInt8(length >> 16 & 255), UInt8(length >> 8 & 255), UInt8(length & 255), type, flags]
            + bytes(UInt32(bitPattern: stream)) + payload
    }

    /// An answer with a status and, where there is one, a body; `id` is echoed.
    static func answer(
        _ status: Int, _ stream: Int32, id: String = "", body: [UInt8] = [], isWhole: Bool = true
    ) -> [UInt8] {
        var fields: [UInt8] = [0x08, 3] + Array(String(status).utf8)
        if !id.isEmpty { fields += [0x00, 7] + Array("apns-id".utf8) + [UInt8(id.utf8.count)] + Array(id.utf8) }
        let head = raw(1, flags: 4 | (body.isEmpty && isWhole ? 1 : 0), stream: stream, fields)
        return body.isEmpty ? head : head + raw(0, flags: isWhole ? 1 : 0, stream: stream, body)
    }

    /// RST_STREAM.
    static func reset(_ stream: Int32, _ code: UInt32) -> [UInt8] { raw(3, stream: stream, bytes(code)) }

    /// GOAWAY.
    static func goAway(_ last: Int32, _ code: UInt32 = 0) -> [UInt8] {
        raw(7, bytes(UInt32(bitPattern: last)) + bytes(code))
    }

    /// WINDOW_UPDATE.
    static func windowUpdate(_ increment: UInt32, stream: Int32 = 0) -> [UInt8] {
        raw(8, stream: stream, bytes(increment))
    }

    /// SETTINGS.
    static func settings(_ entries: [(UInt16, UInt32)]) -> [UInt8] {
        raw(4, entries.flatMap { [UInt8($0.0 >> 8), UInt8($0.0 & 255)] + bytes($0.1) })
    }

    private static func bytes(_ value: UInt32) -> [UInt8] {
        [UInt8(value >> 24), UInt8(value >> 16 & 255), UInt8(value >> 8 & 255), UInt8(value & 255)]
    }
}
