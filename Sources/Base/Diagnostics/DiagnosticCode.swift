/// The stable identifiers of all diagnostics about a workspace or a plan.
///
/// A code never changes its meaning; a new one is added here, where the reference reads it.
public enum DiagnosticCode: String, Hashable, Sendable, CaseIterable {
    // MARK: YAML
    /// The text is not well-formed YAML.
    case yamlSyntax = "yaml-syntax"
    /// The file is not UTF-8, or holds a character that YAML does not allow.
    case encoding
    /// A line break that only YAML 1.1 knows (U+0085, U+2028, U+2029).
    case lineBreak = "line-break"
    /// The same key twice in one mapping.
    case duplicateKey = "duplicate-key"
    /// More than 100,000 expanded nodes, depth 64 or 1 MiB.
    case limitExceeded = "limit-exceeded"
    /// A tag other than the core ones, or a core one that does not fit its value.
    case unknownTag = "unknown-tag"
    /// A float that is `.inf` or `.nan`.
    case notANumber = "not-a-number"
    /// An alias without its anchor, or one inside its own anchor.
    case unknownAlias = "unknown-alias"
    /// `<<` with a value that is not a mapping.
    case invalidMerge = "invalid-merge"
    /// A file whose layout is not the canonical one, or cannot become it without changing what the file says.
    case layout

    // MARK: Files
    /// A file or folder cannot be read.
    case unreadable
    /// A link that leads out of the workspace.
    case linkOutside = "link-outside"
    /// A `{file:}` path that leads out of the workspace.
    case fileOutside = "file-outside"

    // MARK: Shape
    /// A key that the schema does not know.
    case unknownKey = "unknown-key"
    /// A value of the wrong type.
    case wrongType = "wrong-type"
    /// A value that its field does not allow.
    case invalidValue = "invalid-value"
    /// A required field is missing.
    case missingKey = "missing-key"
    /// Fields that exclude each other, or a field that needs another.
    case conflictingKeys = "conflicting-keys"
    /// A name outside its pattern.
    case invalidName = "invalid-name"
    /// A second resource of the same kind and name.
    case duplicateName = "duplicate-name"
    /// A name that no declared resource has.
    case unknownReference = "unknown-reference"
    /// A part that no campaign uses.
    case unusedPart = "unused-part"
    /// A document whose kind bugle does not know.
    case unknownKind = "unknown-kind"
    /// No Workspace document, or a second one.
    case workspaceDocument = "workspace-document"
    /// A plain string where a secret belongs.
    case plainSecret = "plain-secret"
    /// A reference to a variable that holds one of this workspace's secrets.
    case secretReference = "secret-reference"
    /// An environment variable that is not set.
    case missingVariable = "missing-variable"
    /// A remote that leads to a host outside `BUGLE_TRUSTED_HOSTS`.
    case untrustedHost = "untrusted-host"
    /// An operator of the query language that does not exist, or is used wrongly.
    case invalidCondition = "invalid-condition"
    /// A name that works, but not everywhere.
    case portability

    // MARK: Messages
    /// A message that neither shows nor does anything.
    case emptyMessage = "empty-message"
    /// The encoded payload or request is over its limit.
    case payloadTooLarge = "payload-too-large"
    /// Fields that the push type does not allow.
    case pushType = "push-type"
    /// A custom key that is reserved.
    case reservedKey = "reserved-key"

    // MARK: Certificates
    /// A certificate or key that cannot be read, does not match, or is not valid.
    case certificate
    /// A check that was skipped because it needs a file or secret that is not available here.
    case certificateNotChecked = "certificate-not-checked"

    // MARK: Capabilities
    /// The remote does not support the field.
    case notSupported = "not-supported"
    /// The remote does this, but its documentation does not promise it.
    case undocumentedOnLeanCloud = "undocumented-on-leancloud"
    /// The remote behaves slightly differently from what the field asks for.
    case adjusted

    // MARK: Policy (a rule that needs no remote)
    /// `requireExpiration`: the campaign has no expiration.
    case policyRequireExpiration = "policy-require-expiration"
    /// `allowEveryone`: the audience is everyone.
    case policyAllowEveryone = "policy-allow-everyone"
    /// `quietHours`: the send would start during quiet hours.
    case policyQuietHours = "policy-quiet-hours"
    /// `certificateExpiryWarning`: the certificate expires soon, or before the delivery ends.
    case policyCertificateExpiry = "policy-certificate-expiry"

    // MARK: Plan
    /// A campaign was edited after its delivery; nothing is sent.
    case editedAfterDelivery = "edited-after-delivery"
    /// Several campaigns of one part differ from what was delivered or is scheduled.
    case partEdited = "part-edited"
    /// The revision is lower than the delivered one.
    case revisionLowered = "revision-lowered"
    /// A scheduled push vanished from the remote before its time.
    case cancelledElsewhere = "cancelled-elsewhere"
    /// A push fired before its cancel reached the remote.
    case firedBeforeCancel = "fired-before-cancel"
    /// A remote resource that no file declares.
    case drift
    /// A scheduled push made by someone else.
    case unmanaged
    /// A step that a person has to do by hand.
    case manualStep = "manual-step"
    /// The ledger of this remote is empty.
    case emptyLedger = "empty-ledger"
    /// A campaign whose window or expiration has passed.
    case missed
    /// The outcome of a delivery is unknown.
    case unknownOutcome = "unknown-outcome"
    /// A delivery that ended without responses for some devices.
    case inDoubt = "in-doubt"
    /// A rollout that was halted, or holds, after one of its stages.
    case rolloutStopped = "rollout-stopped"
    /// A stage of a rollout with too few devices for a verdict.
    case smallStage = "small-stage"
    /// The difference between its variants that a campaign's test can show.
    case variantPower = "variant-power"
    /// A service limit that is nearly or already exceeded.
    case quota
    /// An audience without any devices.
    case emptyAudience = "empty-audience"
    /// A field that an audience's condition tests but no installation has.
    case absentField = "absent-field"
    /// A class that an audience's condition queries but that does not exist.
    case absentClass = "absent-class"
    /// A frequency rule that looks back further than is known who was reached.
    case reachedForgotten = "reached-forgotten"
    /// A holdout that holds out other devices than it did in the last delivery.
    case holdoutChanged = "holdout-changed"
    /// An audience that was not counted.
    case notCounted = "not-counted"
    /// An audience that was counted but not broken down, or not compared with others.
    case notExplained = "not-explained"
    /// A scheduled push whose audience is selected when it fires.
    case audienceAtFiring = "audience-at-firing"
    /// Two deliveries that reach some of the same devices within `policy.minimumGap`.
    case collision
    /// A clock change between now and a delivery, or during quiet hours.
    case daylightSaving = "daylight-saving"
    /// A registry on a disk that may be thrown away.
    case registryOnRunner = "registry-on-runner"
}

extension DiagnosticCode {
    /// True for a policy rule; such a finding alone does not make a configuration invalid.
    public var isPolicy: Bool { rawValue.hasPrefix("policy-") }
}
