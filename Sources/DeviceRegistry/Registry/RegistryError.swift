/// A refusal or failure of the registry.
///
/// The code is one that LeanCloud's clients know, so that a server can pass it on unchanged.
package struct RegistryError: Error, Hashable, Sendable, CustomStringConvertible {
    /// LeanCloud's number for the kind of error.
    ///
    /// Source: docs/background/leancloud/errors.md#codes.
    package enum Code: Int, Hashable, Sendable, CaseIterable {
        /// The database failed, or a parameter without a code of its own is invalid.
        case other = 1
        case notFound = 101
        case invalidQuery = 102
        case invalidClassName = 103
        case invalidKey = 105
        /// A pointer has no class or object.
        case invalidPointer = 106
        /// A field holds a value of the wrong type.
        case incorrectType = 111
        case invalidChannel = 112
        case invalidDeviceToken = 114
        case objectTooLarge = 116
        /// The field cannot be changed once it is set.
        case readOnlyKey = 117
        /// The query took too long, or, in an internal error, the database.
        case timeout = 124
        /// Another object holds the same unique value.
        case valueTaken = 137
        /// Too many items are waiting.
        case thresholdExceeded = 154
        case userNotFound = 211
        /// A CQL query cannot be translated.
        case invalidCQL = 300
        /// A latitude or longitude is out of range.
        case invalidGeoPoint = 302
        /// A conditional change matched no object.
        case noEffect = 305
        /// The object's ACL forbids the access.
        case forbidden = 403
    }

    /// The kind of error.
    package let code: Code
    /// The error in one sentence, naming the key or value if there is one.
    package let description: String
    /// True if the machine or the database failed rather than the request.
    package let isInternal: Bool
    /// True if the registry's file is no longer the one that was opened: nobody will find what was written to it since.
    package var isFileLost = false
    /// True if the database does not have what this process recorded in it: it was restored, or another server took over
    /// that had not received it.
    package var isSetBack = false
    /// True if the database has no room left: the request may be made again once there is some.
    package let isForLackOfRoom: Bool

    /// Creates the error for a rejected request.
    package init(_ code: Code, _ description: String) {
        self.code = code
        self.description = description
        isInternal = false
        isForLackOfRoom = false
    }

    /// Creates the error for a failure of the database, which is not the caller's fault; its `code` is
    /// ``Code/timeout`` if the database was too slow.
    package init(internal description: String, code: Code = .other, isForLackOfRoom: Bool = false) {
        self.code = code
        self.description = description
        isInternal = true
        self.isForLackOfRoom = isForLackOfRoom
    }

    /// The error of a registry whose file lost its name, or its contents, while it was open.
    package static func fileLost(_ description: String) -> RegistryError {
        var error = RegistryError(internal: description)
        error.isFileLost = true
        return error
    }

    /// The error of a database that does not have what was recorded in it.
    package static let setBack: RegistryError = {
        var error = RegistryError(
            internal:
                "the database does not have what this run recorded in it: it was restored, or another server took over "
                + "that had not received it")
        error.isSetBack = true
        return error
    }()

    /// The error of a conditional change that matched nothing.
    package static let noEffect = RegistryError(.noEffect, "No effect on updating/deleting a document.")
    /// The error of a query that took too long.
    package static let late = RegistryError(.timeout, "The request timed out on the server.")
    /// The error of a unique field whose value belongs to another object.
    package static let valueTaken = RegistryError(
        .valueTaken, "A unique field was given a value that is already taken.")
    /// The error of a missing object or class.
    package static let notFound = RegistryError(.notFound, "Class or object doesn't exists.")
    /// The error of a write under a lock that is no longer held: nothing was written.
    package static let lockLost = RegistryError(.noEffect, "The lock is no longer held.")
    /// The error of a change that the object's ACL forbids.
    package static let forbidden = RegistryError(.forbidden, "Forbidden by the object's ACL.")
}
