/// Why the registry refused or could not do something.
///
/// The code is the one that LeanCloud's clients know, so that a server passes it on unchanged.
package struct RegistryError: Error, Hashable, Sendable, CustomStringConvertible {
    /// LeanCloud's number for the kind of refusal.
    ///
    /// Source: <doc:/PushModel/LeanCloudErrors#Codes>.
    package enum Code: Int, Hashable, Sendable, CaseIterable {
        /// The database failed, or a parameter is wrong that has no code of its own.
        case other = 1
        /// No such object or class.
        case notFound = 101
        /// The condition cannot be read.
        case invalidQuery = 102
        /// The class name breaks the rule for names.
        case invalidClassName = 103
        /// The key breaks the rule for keys.
        case invalidKey = 105
        /// A pointer lacks its class or object.
        case invalidPointer = 106
        /// A field holds a value of the wrong type.
        case incorrectType = 111
        /// The channel name breaks the rule for channels.
        case invalidChannel = 112
        /// The device token is missing or unusable.
        case invalidDeviceToken = 114
        /// The object is larger than an object may be.
        case objectTooLarge = 116
        /// The field does not change once it is set.
        case readOnlyKey = 117
        /// The query took longer than a query may.
        case timeout = 124
        /// Another object holds the same unique value.
        case valueTaken = 137
        /// More of something waits than may wait.
        case thresholdExceeded = 154
        /// No such user.
        case userNotFound = 211
        /// A query in CQL cannot be translated.
        case invalidCQL = 300
        /// A latitude or longitude is outside the globe.
        case invalidGeoPoint = 302
        /// A conditional change met no object.
        case noEffect = 305
        /// The object's ACL does not allow it.
        case forbidden = 403
    }

    /// The kind of refusal.
    package let code: Code
    /// What is wrong, in one sentence, naming the key or value where there is one.
    package let description: String
    /// Whether the machine or the database failed rather than the request.
    package let isInternal: Bool

    /// A refusal of a request.
    package init(_ code: Code, _ description: String) {
        self.code = code
        self.description = description
        isInternal = false
    }

    /// A failure of the database: the caller could not have asked better.
    package init(internal description: String) {
        code = .other
        self.description = description
        isInternal = true
    }

    /// What a conditional change answers when nothing fits.
    package static let noEffect = RegistryError(.noEffect, "No effect on updating/deleting a document.")
    /// What a query that took too long answers.
    static let late = RegistryError(.timeout, "The request timed out on the server.")
    /// What a unique field with another object's value answers.
    package static let valueTaken = RegistryError(
        .valueTaken, "A unique field was given a value that is already taken.")
    /// What an object or class that is not there answers.
    package static let notFound = RegistryError(.notFound, "Class or object doesn't exists.")
    /// What a write under a lock that somebody else has answers: nothing was written.
    package static let lockLost = RegistryError(.noEffect, "The lock is not held any more.")
    /// What an object whose ACL forbids the change answers.
    package static let forbidden = RegistryError(.forbidden, "Forbidden by the object's ACL.")
}
