extension String {
    /// The text cut to at most `length` Unicode scalars; the last one is `…` if something was cut off.
    package func shortened(to length: Int = 300) -> String {
        guard let end = unicodeScalars.index(startIndex, offsetBy: length, limitedBy: endIndex), end < endIndex
        else { return self }
        return String(String.UnicodeScalarView(unicodeScalars.prefix(length - 1))) + "…"
    }
}
