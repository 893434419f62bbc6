internal import DeviceRegistry
internal import Base
internal import PushReport
internal import Push

/// The details of a device.
struct DeviceView {
    let objectID: String
    let platform: String
    let token: String
    let channels: [Channel]
    let validity: ValidityView
    let created: InstantView
    let updated: InstantView
    /// The whole token and ids, to copy; empty for a person who may not see them.
    let tokens: [Field]
    /// The other fields, by name.
    let fields: [Field]

    struct Field {
        let name: String
        let value: String
    }

    struct Channel {
        let name: String
        let href: String
    }

    init(_ device: StoredObject, showsTokens: Bool, for viewer: Viewer) {
        objectID = device.objectID
        platform = device.fields["deviceType"]?.string ?? ""
        tokens = ["deviceToken", "installationId", "registrationId"].compactMap { name in
            let value = showsTokens ? device.fields[name]?.string ?? "" : ""
            return value.isEmpty ? nil : Field(name: name, value: value)
        }
        token = Self.token(device).shortened
        channels = Self.channels(device).map { name in
            var form = FilterForm([:])
            form.channel = name
            return Channel(name: name, href: form.address(after: nil))
        }
        validity = ValidityView(device, in: viewer.language)
        created = InstantView(device.createdAt, for: viewer)
        updated = InstantView(device.updatedAt, for: viewer)
        let shown = JSONValue.object(device.fields).withShortTokens.object ?? [:]
        let others = shown.filter { !["channels", "deviceType", "valid"].contains($0.key) }
        fields = others.sorted { $0.key < $1.key }.map { key, value in
            Field(name: key, value: (value.string ?? value.canonicalText).cut(to: 2000))
        }
    }

    static func token(_ device: StoredObject) -> String {
        device.fields["deviceToken"]?.string ?? device.fields["registrationId"]?.string
            ?? device.fields["installationId"]?.string ?? ""
    }

    static func channels(_ device: StoredObject) -> [String] {
        (device.fields["channels"]?.array ?? []).compactMap(\.string)
    }
}

/// A device's lock screen and its inbox.
struct DeviceScreenView {
    let phone: PhoneView
    let messages: [Message]

    /// A row of the inbox.
    struct Message {
        let href: String
        let headline: String
        let detail: String
        let isSilent: Bool
        let received: InstantView
    }

    init(_ screen: DeviceScreen, app: ShownApp, for viewer: Viewer) {
        phone = PhoneView(screen, app: app, isLinked: false, for: viewer)
        messages = screen.messages.map { push in
            let look = NotificationLook(pushed: push.content, isApple: screen.device.isApple)
            let lines = look?.lines ?? []
            return Message(
                href: "/console/pushes/" + push.objectID.percentEncoded,
                headline: (lines.first ?? viewer.language.say(.silentPush)).cut(to: 80),
                detail: lines.dropFirst().joined(separator: " · ").cut(to: 140), isSilent: look == nil,
                received: InstantView(push.receivedAt, for: viewer))
        }
    }
}

/// A delivery that the device did not get, or perhaps not.
struct FailureView {
    /// The link to the push; empty for the delivery of a workspace.
    let href: String
    let headline: String
    let word: String
    let tone: String
    let reason: String
    /// The problem and what to do, in English; empty when the reason is not one of Apple's.
    let explanation: String
    let at: InstantView?

    init(_ failure: DeviceFailure, for viewer: Viewer) {
        let language = viewer.language
        href = failure.data == nil ? "" : "/console/pushes/" + failure.delivery.percentEncoded
        headline =
            failure.data.map { MessagePreview($0, in: language).headline }
            ?? language.say(.deliveryOf(failure.delivery, workspace: failure.workspace))
        let label: Phrase
        (label, tone) =
            switch failure.ending {
            case .refused: (.refusedByApple, "bad")
            case .waits: (.isRetried, "busy")
            case .inDoubt: (.isInDoubt, "busy")
            }
        word = language.say(label)
        reason = failure.reason
        explanation = ReasonView.explanation(of: failure.reason)
        at = failure.at.map { InstantView($0, for: viewer) }
    }
}

/// Apple's words for what went wrong.
enum ReasonView {
    /// One sentence in English about one of Apple's reasons; empty for any other word.
    static func explanation(of reason: String) -> String {
        APNsReason(rawValue: reason)?.row.explanation ?? ""
    }
}

/// The form that sends a push to one device.
struct TestPushForm {
    let device: String
    /// The id that makes a repeated form do nothing.
    let request: String
    /// True if the certificate matters.
    let choosesEnvironment: Bool
    /// The reason why the device gets no push; empty when it does.
    let obstacle: String

    /// Creates the form of a device.
    init(_ device: StoredObject, isSimulated: Bool, in language: Language) {
        self.device = device.objectID
        request = ObjectID.push()
        choosesEnvironment = device.isApple
        let isUnreachable = !isSimulated && !device.isApple
        obstacle =
            isUnreachable
            ? language.say(.noWayToDevice) : device.fields["valid"]?.bool == true ? "" : language.say(.isNotServed)
    }
}

/// A device's page.
struct DevicePageView {
    let device: DeviceView
    let screen: DeviceScreenView
    /// The time when its token was reported dead.
    let death: InstantView?
    /// What it did not get, the newest first.
    let failures: [FailureView]
    /// The form for a push to it; nil for a person who may not send.
    let test: TestPushForm?
}
