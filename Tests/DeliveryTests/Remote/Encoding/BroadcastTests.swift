import Base
import Push
import Testing

@testable import Delivery

@Suite struct BroadcastTests {
    @Test func aBroadcastGoesToOneChannelUnderTheBundleID() throws {
        let sample = Sample.broadcast { $0.throttle = 5 }
        #expect(sample.findings == [])
        let order = try DeliveryOrder(sample.body)
        #expect(order.target == .broadcast(channel: "Giants", topic: "com.example.app"))
        #expect(order.routes.map(\.apnsTopic) == ["com.example.app"])
        #expect(order.pushType == .liveactivity && order.throttle == nil)
        #expect(sample.encoded.limit == 5120 && sample.encoded.request.endpoint == .push)
    }

    @Test func theProfileOfTheChannelsTopicPushesIt() throws {
        let profiles = [
            DeviceProfile.token("other"), .token("app", "com.example.app.push-type.liveactivity"), .token("last"),
        ]
        #expect(try DeliveryOrder(Sample.broadcast { $0.profiles = profiles }.body).routes.map(\.profile) == ["app"])
        #expect(
            Sample.broadcast { $0.profiles = [.token("other")] }.findings == [
                "error not-supported audience.channels: no DeviceProfile of environment production has the broadcast "
                    + "channel's topic 'com.example.app'"
            ])
    }

    @Test func aBroadcastCannotLeaveOutSubscribers() {
        let sample = Sample.broadcast {
            $0.holdout = Holdout(share: Share(parts: 500), salt: "a")
            $0.frequency = [FrequencyRule(most: 1, per: .seconds(60))]
        }
        #expect(
            sample.findings
                == ["frequency", "holdout"].map {
                    "error not-supported audience.channels: Apple sends a broadcast to every subscriber of the channel: "
                        + "policy.\($0) cannot leave out any of them"
                })
        #expect(sample.body["holdout"] == nil && sample.body["frequency"] == nil)
    }

    @Test func onlyOneChannelAndNoOtherNarrowing() {
        let second = Channel(
            name: "Mets", origin: anyOrigin, broadcast: .init(topic: "com.example.app", storage: .mostRecent))
        #expect(
            Sample.broadcast {
                $0.broadcasts.append(second)
                $0.audience.channels = ["Giants", "Mets"]
            }.findings == [
                "error not-supported audience.channels: a broadcast goes to one channel, and the audience has 2"
            ])
        let mixed = Sample.broadcast(.none) {
            $0.audience.channels = ["Giants", "plain"]
            $0.expiration = .never
        }
        #expect(
            mixed.findings == [
                "error not-supported audience.channels: a campaign cannot mix Apple broadcast channels with other channels"
            ])
        #expect(
            Sample.broadcast { $0.audience.condition = ["a": 1] }.findings == [
                "error not-supported audience.where: Apple sends a broadcast to every subscriber of the channel: "
                    + "'audience.where' cannot narrow it"
            ])
        #expect(
            Sample.broadcast { $0.audience.segments = ["s"] }.findings.map {
                $0.hasPrefix("error not-supported audience.segments")
            }
                == [true])
    }

    @Test func aBroadcastUpdatesOrEndsALiveActivity() {
        #expect(
            Sample.broadcast {
                $0.content.liveActivity = nil
                $0.content.body = .text("Hi")
            }.findings == [
                "error push-type message.pushType: an Apple broadcast channel takes Live Activities only, not alert"
            ])
        #expect(
            Sample.broadcast {
                $0.content.title = .text("t")
                $0.content.liveActivity?.event = .start
            }.findings == ["error push-type message.liveActivity: a broadcast cannot start a Live Activity"])
    }

    @Test func aChannelThatStoresNothingTriesOnce() throws {
        #expect(Sample.broadcast(.none).findings == [])
        #expect(try DeliveryOrder(Sample.broadcast(.none).body).expiration == .after(.zero))
        #expect(try DeliveryOrder(Sample.broadcast(.none) { $0.expiration = nil }.body).expiration == .after(.zero))
        for expiration in [.never, .after(.seconds(1)), .at(OffsetInstant(Instant(seconds: 1)))]
            as [Expiration]
        {
            #expect(
                Sample.broadcast(.none) { $0.expiration = expiration }.findings == [
                    "error not-supported expiration: the broadcast channel stores nothing, so Apple tries only once"
                ])
        }
    }

    @Test func aBroadcastCannotSayNever() throws {
        let sample = Sample.broadcast { $0.expiration = .never }
        #expect(
            sample.findings == [
                "note adjusted expiration: Apple keeps the most recent message of a broadcast channel for 8 hours at most"
            ])
        #expect(try DeliveryOrder(sample.body).expiration == .after(.seconds(8 * 3600)))
    }
}
