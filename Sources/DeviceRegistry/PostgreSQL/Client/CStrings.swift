internal import CLibrary

/// C strings that live as long as the object.
// The pointers are used only here and live as long as the object.
@safe
final class CStrings {
    private var copies: [UnsafeMutablePointer<CChar>?]

    /// Copies the strings, none of which may hold a NUL; nil becomes a null pointer.
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
