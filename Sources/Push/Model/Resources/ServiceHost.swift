/// An address of an Android vendor's service, under the name by which a remote's `hosts` replaces it.
///
/// Source: docs/background/android.md#fcm-message, docs/background/android.md#vendors-answers.
package enum ServiceHost: String, Hashable, Sendable, CaseIterable {
    case fcm
    case fcmToken
    case huawei
    case huaweiToken
    case harmony
    case honor
    case honorToken
    case xiaomi
    case oppo
    case vivo

    /// The vendor's own address; nil where each credential names it.
    package var address: String? {
        switch self {
        case .fcm: "https://fcm.googleapis.com"
        case .fcmToken: nil
        case .huawei, .harmony: "https://push-api.cloud.huawei.com"
        case .huaweiToken: "https://oauth-login.cloud.huawei.com"
        case .honor: "https://push-api.cloud.hihonor.com"
        case .honorToken: "https://iam.developer.hihonor.com"
        // That of China; devices elsewhere have another.
        case .xiaomi: "https://api.xmpush.xiaomi.com"
        case .oppo: "https://api.push.oppomobile.com"
        case .vivo: "https://api-push.vivo.com.cn"
        }
    }

    /// The vendor.
    package var vendor: PushVendor {
        switch self {
        case .fcm, .fcmToken: .fcm
        case .huawei, .huaweiToken: .hms
        case .harmony: .harmony
        case .honor, .honorToken: .honor
        case .xiaomi: .mi
        case .oppo: .oppo
        case .vivo: .vivo
        }
    }

    /// True for one that gives access tokens and takes no messages.
    package var isForTokens: Bool { [.fcmToken, .huaweiToken, .honorToken].contains(self) }
}
