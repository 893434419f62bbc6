package import Push

extension Phrase {
    /// A number and its noun, in the plural unless the number is one.
    package static func counted(_ count: Int, _ noun: String, _ plural: String? = nil) -> String {
        "\(count.grouped) \(count == 1 ? noun : plural ?? noun + "s")"
    }

    /// `a`, `a and b`, `a, b and c`.
    static func anded(_ texts: [String]) -> String {
        guard texts.count > 1, let last = texts.last else { return texts.first ?? "" }
        return texts.dropLast().joined(separator: ", ") + " and " + last
    }
}

// MARK: - Drawings

extension Phrase {
    // MARK: Effects on a device, in words

    static let badgeTaken = Phrase("the badge is removed", "清除角标")
    static let badgeMore = Phrase("badge: one more", "角标加一")

    package static func badge(_ count: Int) -> Phrase { Phrase("badge \(count)", "角标 \(count)") }
    package static func sound(_ name: String) -> Phrase { Phrase("sound: \(name)", "提示音：\(name)") }
    static func criticalSound(_ name: String) -> Phrase { Phrase("critical sound: \(name)", "重要警告提示音：\(name)") }
    package static func interruption(_ name: String) -> Phrase { Phrase("interruption level: \(name)", "打扰级别：\(name)") }

    // MARK: Drawings

    package static let lockScreen = Phrase("iPhone, lock screen", "iPhone 锁定屏幕")
    package static let banner = Phrase("iPhone, banner", "iPhone 横幅")
    package static let expanded = Phrase("iPhone, expanded", "iPhone 展开")
    package static let shade = Phrase("Android, shade", "Android 通知栏")
    static let itsDevicesAreLeftOut = Phrase("its devices are left out", "不向其设备推送")
    static func mostPerDay(_ messages: Int) -> Phrase { Phrase("\(messages) a day and device", "每台设备每天 \(messages) 条") }
    static func deliversOnly(_ hours: String) -> Phrase { Phrase("\(hours) in China only", "仅 \(hours) 送达") }
    static func mostCharacters(_ title: Int, _ body: Int) -> Phrase {
        Phrase("\(title) + \(body) characters", "标题 \(title) 字、正文 \(body) 字以内")
    }
    package static let openShade = Phrase("Android, expanded", "Android 展开")
    static let lockDate = Phrase("Monday, June 9", "6月9日 星期一")
    static let shadeDate = Phrase("Mon, Jun 9", "6月9日周一")
    static let internet = Phrase("Internet", "互联网")
    static let doNotDisturb = Phrase("Do not disturb", "勿扰")
    static let addedQuietly = Phrase("added without lighting the screen", "不点亮屏幕，仅加入通知列表")
    static let appNamesActions = Phrase("its actions: the app names them", "操作按钮由应用定义")
    package static let timeSensitive = Phrase("TIME SENSITIVE", "时效性通知")
    package static let critical = Phrase("CRITICAL", "重要警告")
    package static let liveActivity = Phrase("Live Activity", "实时活动")
    static let localizedInApp = Phrase("localized in the app", "文本由应用本地化")
    static let defaultSound = Phrase("default sound", "默认提示音")
    static let badgeRemoved = Phrase("badge removed", "清除角标")
    static let badgePlus = Phrase("badge +1", "角标 +1")
    static let breaksFocus = Phrase("breaks through a Focus", "可突破专注模式")
    static let breaksEverything = Phrase("breaks through everything", "可突破静音与专注模式")
    package static let passive = Phrase("passive: lights no screen", "被动：不点亮屏幕")
    static let goesToList = Phrase("It goes to the list.", "仅加入通知列表。")
    static let passiveEffect = Phrase("Passive: no screen lights up, no sound is played.", "被动级别：不点亮屏幕，不播放提示音。")
    static let nothingShown = Phrase("Nothing is shown.", "不显示任何通知。")
    static let silentEffect = Phrase("The app is woken in the background and gets the data.", "静默推送：应用在后台被唤醒并收到数据。")
    static let callEffect = Phrase("The app is woken and shows the call itself.", "应用被唤醒，自行显示来电。")
    static let complicationEffect = Phrase("The app on the watch updates its complication.", "手表上的应用更新复杂功能。")
    static let fileEffect = Phrase("The File Provider extension looks at its files.", "File Provider 扩展检查文件变化。")
    static let mdmEffect = Phrase("The device asks its management server for commands.", "设备向管理服务器查询指令。")
    static let locationEffect = Phrase("The app's extension tells where the device is.", "应用的扩展上报设备位置。")
    static let talkEffect = Phrase("The app is woken to play or join a talk.", "应用被唤醒，播放或加入对讲。")
    static let widgetEffect = Phrase("The app's widgets are drawn anew.", "应用的小组件刷新。")
    static let controlEffect = Phrase("The app's controls are drawn anew.", "应用的控件刷新。")
    static let badgeIsRemoved = Phrase("The badge is removed.", "清除角标。")
    static let badgeIsMore = Phrase("The badge becomes one more.", "角标加一。")
    static let noText = Phrase("The message has no text.", "消息没有文本。")
    static let activityStarts = Phrase("The app draws the Live Activity that starts.", "应用绘制新开始的实时活动。")
    static let activityUpdates = Phrase("The app draws the Live Activity anew.", "应用重绘实时活动。")
    static let activityEnds = Phrase("The Live Activity ends.", "实时活动结束。")
    static let activityDrawn = Phrase("The app draws the Live Activity.", "应用绘制实时活动。")

    static func playedThoughMuted(_ name: String) -> Phrase { Phrase("♪ \(name), even when muted", "♪ \(name)，静音时也响") }
    static func notPlayed(_ name: String) -> Phrase { Phrase("♪ \(name), not played", "♪ \(name)，不播放") }
    package static func grouped(_ name: String) -> Phrase { Phrase("grouped: " + name, "分组：" + name) }
    package static func actions(_ name: String) -> Phrase { Phrase("actions: " + name, "操作：" + name) }
    package static func replaces(_ name: String) -> Phrase { Phrase("replaces: " + name, "替换：" + name) }
    static func actionsOf(_ name: String) -> Phrase { Phrase("Actions of \(name)", "\(name) 的操作") }
    static func actionsNamed(_ name: String) -> Phrase {
        Phrase("[actions of \(name): the app names them]", "[\(name) 的操作：由应用定义]")
    }
    package static func picture(_ name: String, of: String) -> Phrase {
        Phrase("[picture \(name) of \(of)]", "[图片 \(name)，来自 \(of)]")
    }
    static func withoutValues(_ fields: [String]) -> Phrase {
        Phrase("without " + fields.joined(separator: ", "), "没有 " + fields.joined(separator: "、"))
    }
    static func andMore(_ count: Int) -> Phrase { Phrase("and \(count) more", "还有 \(count) 项") }
    static func soundPlays(_ name: String) -> Phrase { Phrase("The sound \(name) is played.", "播放提示音 \(name)。") }
    static func badgeBecomes(_ count: Int) -> Phrase { Phrase("The badge becomes \(count).", "角标变为 \(count)。") }
    static func sideBySide(_ list: [String]) -> Phrase { Phrase(list.joined(separator: " "), list.joined()) }
    package static func sentences(_ list: [String]) -> Phrase {
        Phrase(list.joined(separator: ". "), Chinese.sentences(list))
    }
    package static func weekdayAndDay(weekday: Int, month: Int, day: Int) -> Phrase {
        Phrase(
            "\(English.weekdays[weekday]), \(day) \(English.months[month - 1])",
            "\(month)月\(day)日 \(Chinese.weekdays[weekday])")
    }
}
