import Foundation

// What bugle asks of Foundation that ICU's data answer: `make package` compares it with the whole data and with its part.

/// The offsets of a zone over two centuries, as one number.
func fingerprint(_ name: String) -> String {
    guard let zone = TimeZone(identifier: name) else { return "none" }
    var hash: UInt64 = 14_695_981_039_346_656_037
    for seconds in stride(from: -2_000_000_000.0, to: 4_000_000_000.0, by: 1_234_567.0) {
        let offset = zone.secondsFromGMT(for: Date(timeIntervalSince1970: seconds))
        hash = (hash ^ UInt64(bitPattern: Int64(offset))) &* 1_099_511_628_211
    }
    return String(hash, radix: 16)
}

let others = [
    "GMT+8", "GMT+0800", "PST", "PRC", "UTC", "Etc/GMT-3", "Asia/Calcutta", "CST6CDT", "EST", "UTC+8", "GMT-3:30",
    "none",
]
for name in TimeZone.knownTimeZoneIdentifiers + others { print(name, fingerprint(name)) }

for (pattern, text) in [
    ("^a\\w+é$", "aXé"), ("(?i)straße", "STRASSE"), ("(?i)straße", "STRAßE"), ("\\p{Han}+", "新闻"), ("\\p{Lu}", "é"),
    ("\\bword\\b", "a word x"), ("(?w)\\bword\\b", "a word x"), ("\\X", "é"), ("\\N{LATIN SMALL LETTER A}", "a"),
    ("[[:alpha:]]", "ж"), ("(?i)ΣΑΣ", "σας"), ("\\R", "\r\n"), ("\\p{Script=Greek}", "α"), ("(", ""),
] {
    let whole = NSRange(location: 0, length: text.utf16.count)
    let found = (try? NSRegularExpression(pattern: pattern)).map { $0.firstMatch(in: text, range: whole) != nil }
    print(pattern, found.map(String.init) ?? "invalid")
}

let format = DateFormatter()
format.locale = Locale(identifier: "en_US_POSIX")
format.dateFormat = "yyyy-MM-dd HH:mm:ss.SSS"
format.timeZone = TimeZone(secondsFromGMT: 0)
print(format.string(from: Date(timeIntervalSince1970: 1.5)), format.date(from: "2020-02-03 04:05:06.789") as Any)
print(
    Locale.current.identifier, Calendar.current.identifier, "ÄÖ".lowercased(), "İ".localizedLowercase, "abc".capitalized
)
print("x".localizedCompare("y").rawValue, String(format: "%.2f %@", 1.5, "a"))
print(URL(string: "http://bücher.example/x")?.host as Any)
