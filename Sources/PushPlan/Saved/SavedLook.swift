internal import JSONValue
internal import PushModel

/// A look as it stands in a plan file.
struct SavedLook: Decodable {
    var platform: String
    var pushType: String?
    var title: Text?
    var subtitle: Text?
    var body: Text?
    var badge: Number?
    var sound: Tone?
    var interruptionLevel: String?
    var threadId: String?
    var category: String?
    var collapseId: String?
    var image: String?
    var activity: String?
    var contentState: JSONValue?

    /// A text, or a key with what fills its places.
    struct Text: Decodable {
        var value: LocalizableText

        private enum Member: String, CodingKey {
            case key, args
        }

        init(from decoder: any Decoder) throws {
            if let text = try? decoder.singleValueContainer().decode(String.self) {
                value = .text(text)
            } else {
                let members = try decoder.container(keyedBy: Member.self)
                value = .localized(
                    key: try members.decode(String.self, forKey: .key),
                    arguments: try members.decodeIfPresent([String].self, forKey: .args) ?? [])
            }
        }
    }

    /// A number, or a word for one.
    struct Number: Decodable {
        var value: Badge?
        var text: String

        init(from decoder: any Decoder) throws {
            let container = try decoder.singleValueContainer()
            if let number = try? container.decode(Int.self) {
                (value, text) = (.number(number), "")
            } else {
                text = try container.decode(String.self)
                value = text == "increment" ? .increment : nil
            }
        }
    }

    /// A sound's name, or all of it.
    struct Tone: Decodable {
        var value: Sound

        private enum Member: String, CodingKey {
            case name, critical, volume
        }

        init(from decoder: any Decoder) throws {
            if let name = try? decoder.singleValueContainer().decode(String.self) {
                value = .name(name)
            } else {
                let members = try decoder.container(keyedBy: Member.self)
                value = .detailed(
                    name: try members.decode(String.self, forKey: .name),
                    critical: try members.decode(Bool.self, forKey: .critical),
                    volume: try members.decodeIfPresent(Double.self, forKey: .volume))
            }
        }
    }

    /// The look, with every text understood; `path` names it in errors.
    ///
    /// - Throws: ``SavedPlanError`` with `notAPlan`.
    func look(_ path: String) throws(SavedPlanError) -> NotificationLook {
        let type = pushType ?? PushType.alert.rawValue
        var look = NotificationLook(
            platform: try known(Platform(rawValue: platform), path + ".platform", platform),
            pushType: try known(PushType(rawValue: type), path + ".pushType", type))
        look.title = title?.value
        look.subtitle = subtitle?.value
        look.body = body?.value
        if let badge { look.badge = try known(badge.value, path + ".badge", badge.text) }
        look.sound = sound?.value
        if let level = interruptionLevel {
            look.interruptionLevel = try known(InterruptionLevel(rawValue: level), path + ".interruptionLevel", level)
        }
        look.threadId = threadId
        look.category = category
        look.collapseId = collapseId
        look.image = image
        if let activity {
            look.activity = try known(LiveActivity.Event(rawValue: activity), path + ".activity", activity)
        }
        look.contentState = contentState
        return look
    }
}
