import Base
import CLibrary
// How fast the reader of JSON is on each shape of text, and how much memory it takes:
// json-reading SHAPE MEGABYTES prints MB/s, its ratio to Foundation's reader, and bytes of memory for each of the text.
import CMalloc
import Foundation

/// So many bytes of a shape.
func text(of shape: String, bytes size: Int) -> [UInt8] {
    func list(_ element: String) -> [UInt8] {
        let count = max(1, size / (element.utf8.count + 1))
        return Array("[\(repeatElement(element, count: count).joined(separator: ","))]".utf8)
    }
    func nested(_ depth: Int) -> String {
        String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
    }
    let installation = """
        {"objectId": "51ff1808e4b074ac5c34d7fd", "deviceType": "ios", "deviceToken": "\(String(repeating: "a1", count: 32))",
        "apnsTopic": "com.example.app", "channels": ["news", "sport"], "timeZone": "Europe/Berlin", "valid": true,
        "createdAt": "2013-08-04T17:41:09.106Z", "updatedAt": "2013-08-04T17:41:09.106Z", "badge": 3, "age": 41.5,
        "name": "Zoë Müller", "greeting": "line\\nline", "place": {"__type": "GeoPoint", "latitude": 52.5, "longitude": 13.4}}
        """
    return switch shape {
    case "digits": list("0")
    case "numbers": list("12345.678")
    case "integers": list("1234567890")
    case "objects": list("{\"a\":1}")
    case "strings": list("\"a text of some words\"")
    case "chinese": list("\"推送 REST API 使用指南\"")
    case "escapes": list("\"\\u00e9\\n\\t\\u4f60\"")
    case "nested": list(nested(97))
    case "members":
        Array(
            "{\((0..<max(1, size / 28)).map { "\"member\($0)\":\"value\($0)\"" }.joined(separator: ","))}".utf8)
    case "installations": list(installation)
    default: fatalError("no such shape")
    }
}

func best(of runs: Int, _ body: () -> Bool) -> Double {
    var best = Double.infinity
    for _ in 0..<runs {
        let start = clock()
        guard body() else { return .nan }
        best = min(best, Double(clock() - start) / Double(CLOCKS_PER_SEC))
    }
    return best
}

/// What is allocated.
func memory() -> Int {
    let info = mallinfo2()
    return info.uordblks + info.hblkhd
}

let shape = CommandLine.arguments[1]
let bytes = text(of: shape, bytes: Int((Double(CommandLine.arguments[2]) ?? 1) * 1_000_000))
let unlimited = JSONLimits(memory: 1 << 40)
let isTaken = (try? JSONValue(parsing: bytes)) != nil
/// As a text of a stranger is read: what demands too much memory is refused on the way.
let guarded = best(of: 7) { ((try? JSONValue(parsing: bytes)) != nil) == isTaken }
let before = memory()
let value = try JSONValue(parsing: bytes, limits: unlimited)
let size = Double(memory() - before) / Double(bytes.count)
let ours = best(of: 7) {
    (try? JSONValue(parsing: bytes, limits: unlimited)) != nil
}
let data = Data(bytes)
let foundation = best(of: 3) { (try? JSONSerialization.jsonObject(with: data)) != nil }
func column(_ text: String, _ width: Int) -> String {
    String(repeating: " ", count: max(0, width - text.utf8.count)) + text
}
print(
    shape + column(String(format: "%.0f", Double(bytes.count) / 1e6 / ours), 27 - shape.utf8.count),
    column(String(format: "%.2f", ours / foundation), 22), column(String(format: "%.1f times", size), 22),
    isTaken ? "" : " refused at \(String(format: "%.0f", Double(bytes.count) / 1e6 / guarded)) MB/s by default")
withExtendedLifetime(value) {}
