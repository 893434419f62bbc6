// The system's C library, whatever it is called there: no other file asks which system it is compiled for, but those
// that say why.
#if canImport(Darwin)
    @_exported public import Darwin
#elseif canImport(Musl)
    @_exported public import Musl
#else
    @_exported public import Glibc
#endif
