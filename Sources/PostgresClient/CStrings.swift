internal import CLibrary

/// Texts as C takes them, for as long as this lives.
// Every use of the pointer is in here, and it lives as long as this does.
@safe
final class CStrings {
    private var copies: [UnsafeMutablePointer<CChar>?]

    /// Copies the texts, none of which holds a NUL; nil becomes a null pointer.
    init(_ texts: [String?], isTerminated: Bool = false) {
        unsafe copies = texts.map { text in
            guard let text else { return nil }
            return unsafe strdup(text)
        }
        if isTerminated { unsafe copies.append(nil) }
    }

    deinit {
        unsafe copies.forEach { unsafe free($0) }
    }

    /// Calls `body` with the pointers.
    func withPointers<Result>(_ body: (UnsafePointer<UnsafePointer<CChar>?>?) -> Result) -> Result {
        let pointers = unsafe copies.map { unsafe UnsafePointer($0) }
        return unsafe pointers.withUnsafeBufferPointer { unsafe body($0.baseAddress) }
    }
}
