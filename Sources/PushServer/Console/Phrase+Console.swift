internal import PushReport
internal import Push

/// What the console says.
extension Phrase {
    // MARK: Around every page

    static let overview = Phrase("Overview", "概览")
    static let pushes = Phrase("Pushes", "推送")
    static let installations = Phrase("Installations", "设备")

    // MARK: The login

    static let logIn = Phrase("Log in", "登录")
    static let wrongKey = Phrase("That is not a key for this console.", "这不是本控制台的密钥。")
    static let readOnly = Phrase("looking only", "只读")
    static let onlyLooking = Phrase("You may look only", "当前登录只能查看")
    static let needsMasterKey = Phrase(
        "Sending and cancelling need a login with the master key.", "发送与取消需要以 Master Key 登录。")

    // MARK: Pages with only a message

    static let noSuchPage = Phrase("There is no such page", "没有这个页面")
    static let noSuchForm = Phrase("There is no such form", "没有这个表单")
    static let leadsNowhere = Phrase("The address leads nowhere.", "这个地址没有对应的内容。")
    static let noSuchPush = Phrase("There is no such push", "没有这次推送")
    static let noSuchDevice = Phrase("There is no such device", "没有这台设备")
    static let outOfDate = Phrase("The form is out of date", "表单已过期")
    static let anotherSession = Phrase(
        "It was made in another session. Go back, reload the page, and try again.", "它来自另一次登录。请返回并刷新页面后重试。")
    static let wasCancelledNow = Phrase("The scheduled push was cancelled.", "定时推送已取消。")
    static let waitsNoMore = Phrase(
        "That push is no longer scheduled: it was sent or cancelled.", "这条推送已不在等待：它已发出或被取消。")
    static let didNotWork = Phrase("That did not work", "操作没有成功")
    static let wentWrong = Phrase("Something went wrong inside the server. Its log says more.", "服务器内部出错，详情见日志。")

    // MARK: The overview

    static let reachableGroup = Phrase("Reachable", "可送达")
    static let androidGroup = Phrase("Android", "Android")
    static let staleGroup = Phrase("Stale", "久未出现")
    static let otherGroup = Phrase("Others", "其他")
    static let registrationsChart = Phrase("Registrations", "新注册")
    static let deliveriesChart = Phrase("Deliveries", "送达")
    static let refusalsChart = Phrase("Refusals", "被拒绝")
    static let deadTokensChart = Phrase("Tokens reported dead", "报告失效的 token")

    // MARK: Lock screens

    static let noNotifications = Phrase("No notifications", "没有通知")
    static let someDevice = Phrase("Device", "设备")

    // MARK: Lists of pushes

    static let deadTokens = Phrase("Dead tokens", "失效 token")
    static let expired = Phrase("expired", "已过期")
    static let silentPush = Phrase("Silent push", "静默推送")
    static let ownChannel = Phrase("Own channel", "自有通道")
    static let huawei = Phrase("Huawei", "华为")
    static let xiaomi = Phrase("Xiaomi", "小米")
    static let meizu = Phrase("Meizu", "魅族")
    static let honor = Phrase("Honor", "荣耀")
    static let noSuchDay = Phrase("A day is written as 2026-11-21.", "日期应写作 2026-11-21。")

    // MARK: The time zone

    static let noSuchZone = Phrase(
        "There is no such time zone. Write one such as Europe/Berlin or Asia/Shanghai.",
        "没有这个时区。请写作 Europe/Berlin、Asia/Shanghai 等。")

    // MARK: A push

    static let noWayToThem = Phrase("this server cannot reach them", "本服务器没有通往它们的通道")
    static let isSimulated = Phrase("simulated", "模拟")
    static let answerWasLost = Phrase("Apple’s answer was lost", "没有收到 Apple 的应答")
    static let timeWasOver = Phrase("not sent in time", "未能按时发送")
    static let leftNotApple = Phrase("not an Apple device, or without a token", "不是 Apple 设备，或没有 token")
    static let leftInvalid = Phrase("registration not valid", "注册信息无效")
    static let leftStale = Phrase("not seen for 90 days", "90 天没有出现")
    static let leftProfile = Phrase("no credential for its device profile", "其 deviceProfile 没有凭据")
    static let leftTopic = Phrase("no credential for its topic", "其 topic 没有凭据")
    static let leftTooLarge = Phrase("too large with values of its own", "代入字段值后过大")
    static let leftHeldOut = Phrase("held out for comparison", "属于对照组")
    static let leftCapped = Phrase("as often reached as a rule allows", "已达到频次上限")

    // MARK: The list of devices

    static let seenRecently = Phrase("in the last 90 days", "90 天内出现过")
    static let noField = Phrase(
        "Write a field and its value, such as level = 7 or city = Berlin.", "请写字段及其值，例如 level = 7 或 city = Berlin。")
    static let noJSON = Phrase(
        "This cannot be read as JSON. Look for a missing quote, comma or brace.", "无法按 JSON 读取：请检查是否缺少引号、逗号或括号。")
    static let noCondition = Phrase(
        "A condition is a JSON object such as {\"scores\": true}, or a list of them.",
        "查询条件应为 JSON 对象，例如 {\"scores\": true}，或由它们组成的数组。")
    static let anyChoice = Phrase("Any", "不限")
    static let validChoice = Phrase("Valid", "有效")
    static let invalidChoice = Phrase("Not valid", "无效")
    static let valid = Phrase("valid", "有效")
    static let notValid = Phrase("not valid", "无效")
    static let notSaid = Phrase("not said", "未说明")

    // MARK: A device

    static let refusedByApple = Phrase("refused", "被拒绝")
    static let isRetried = Phrase("is retried", "等待重试")
    static let isInDoubt = Phrase("in doubt", "存疑")

    // MARK: The test of a device

    static let noWayToDevice = Phrase(
        "This server cannot reach it: it pushes to Apple’s devices only.", "本服务器无法到达它：只向 Apple 设备推送。")
    static let isNotServed = Phrase("It gets no push: its registration is not valid.", "它收不到推送：注册信息无效。")
    static let testNeedsText = Phrase("A test needs a text.", "测试推送需要正文。")
    static let testWasTaken = Phrase("The test was taken. This page shows what becomes of it.", "测试推送已受理，本页显示其结果。")
    static let testWasSentBefore = Phrase("This test was sent before, and was not sent again.", "这条测试推送此前已发送，没有再次发送。")

    // MARK: Times and sentences

    static func inMinutes(_ count: Int) -> Phrase { Phrase("in \(count) min", "\(count) 分钟后") }
    static func inHours(_ count: Int) -> Phrase { Phrase("in \(count) h", "\(count) 小时后") }
    static func inDays(_ count: Int) -> Phrase { Phrase("in \(count) d", "\(count) 天后") }
    static let inAMoment = Phrase("in a moment", "即将")
    /// The number of notifications beyond those drawn on a screen.
    static func moreNotes(_ count: Int) -> Phrase { Phrase("and \(count.grouped) more", "还有 \(count.grouped) 条") }
    static func minutesAgo(_ count: Int) -> Phrase { Phrase("\(count) min ago", "\(count) 分钟前") }
    static func hoursAgo(_ count: Int) -> Phrase { Phrase("\(count) h ago", "\(count) 小时前") }
    static func daysAgo(_ count: Int) -> Phrase { Phrase("\(count) d ago", "\(count) 天前") }
    static func listedDevices(_ count: Int, platform: String) -> Phrase {
        Phrase("\(count) \(platform) \(count == 1 ? "device" : "devices") by id", "按 id 指定的 \(count) 台 \(platform) 设备")
    }
    static func noneHasID(_ id: String) -> Phrase { Phrase("None has the id \(id).", "没有 id 为 \(id) 的记录。") }
    static func tooManyKeys(seconds: Int) -> Phrase {
        Phrase(
            "Too many wrong keys came from your address. Try again in \(seconds) s.",
            "来自你的地址的错误密钥过多，请在 \(seconds) 秒后重试。")
    }
    static func deliveryOf(_ id: String, workspace: String) -> Phrase {
        Phrase(
            "Delivery \(id)" + (workspace.isEmpty ? "" : " of \(workspace)"),
            (workspace.isEmpty ? "" : "\(workspace) 的") + "投递 \(id)")
    }
}
