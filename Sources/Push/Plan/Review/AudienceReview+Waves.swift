extension AudienceReview.Part {
    /// The waves of a local time, in the order in which they open, as far as the zones of an audience are known.
    static func waves(_ schedule: LocalSchedule, _ explanation: AudienceExplanation) -> [AudienceReview.Part] {
        // A sample tells shares, not numbers.
        guard explanation.timeZoneSample == nil else { return [] }
        var devices: [Instant: Int] = [:]
        for (zone, count) in explanation.timeZones {
            devices[schedule.wave(in: zone) ?? schedule.fallback, default: 0] += count
        }
        // Zones that are not named are unknown ones.
        if explanation.otherTimeZones > 0 { devices[schedule.fallback, default: 0] += explanation.otherTimeZones }
        return devices.sorted { $0.key < $1.key }.map { wave, count in
            let opensAt = schedule.reading(of: wave)
            return AudienceReview.Part(
                label: .verbatim(LocalSchedule.label(ofOffset: opensAt.offset)), opensAt: opensAt, devices: count)
        }
    }
}
