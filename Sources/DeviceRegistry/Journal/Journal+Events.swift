internal import Push

extension Journal {
    /// Records events that devices report: each that is accepted counts once, however often it is reported.
    ///
    /// - Parameters:
    ///   - events: the events, of any deliveries.
    ///   - index: what is known of the reached sets, shared by all calls of a process.
    /// - Returns: what became of each; those that are accepted are on disk.
    /// - Throws: ``RegistryError`` when the database cannot be used; then all may be reported again.
    package func record(
        _ events: [DeviceEvent], knowing index: ReachedIndex
    ) async throws(RegistryError) -> [DeviceEvent.Fate] {
        let judged = try await read { db in try db.judge(events, index) }
        let rows = judged.compactMap(\.row)
        guard !rows.isEmpty else { return judged.map(\.fate) }
        // The deliveries whose time ended meanwhile, of which nothing is written.
        let late = try await write { db in
            let deliveries = Set(rows.map(\.delivery))
            let open = try db.holdEventWindows(deliveries.sorted())
            try db.add(rows.filter { open.contains($0.delivery) })
            return deliveries.subtracting(open)
        }
        return zip(events, judged).map { late.contains($0.delivery) ? .refused : $1.fate }
    }

    /// Returns the newest deliveries that count events, at most so many.
    package func countedDeliveries(most: Int) async throws(RegistryError) -> [CountedDelivery] {
        try await read { db in
            try db.newestEventWindows(most: most).compactMap { delivery, startedAt in
                guard let journal = try db.journal(of: delivery, .free),
                    let events = try db.eventFigures(of: delivery)
                else { return nil }
                return CountedDelivery(
                    delivery: delivery, workspace: journal.workspace,
                    campaign: try db.campaign(of: delivery, in: journal.workspace), startedAt: startedAt,
                    accepted: try db.figures(of: journal).accepted, events: events)
            }
        }
    }

    /// Replaces the single events of deliveries whose time is over by counts, in steps that each take little time.
    ///
    /// Killed in between, it goes on where it was: each step is one transaction.
    package func foldEvents() async throws(RegistryError) {
        try await write { db in
            for window in try db.eventWindows(of: nil) where window.isOver(at: db.now) {
                try db.endEventWindow(of: window.delivery)
            }
        }
        while try await write({ db in
            guard let delivery = try db.deliveryToFold() else { return false }
            var counts: [EventCount: Int] = [:]
            for event in try db.takeEvents(of: delivery, most: 5000) { counts[EventCount(event), default: 0] += 1 }
            try db.add(counts, of: delivery)
            return true
        }) {}
    }
}

extension RegistryTransaction {
    /// Decides what becomes of events, without writing any; `index` is what is known of the reached sets, and takes what
    /// it lacks.
    fileprivate func judge(
        _ events: [DeviceEvent], _ index: ReachedIndex
    ) throws -> [(fate: DeviceEvent.Fate, row: EventRow?)] {
        let windows = Dictionary(
            uniqueKeysWithValues: try eventWindows(of: Set(events.map(\.delivery)).sorted()).map {
                ($0.delivery, $0)
            })
        let open = windows.filter { !$0.value.isOver(at: now) }
        let meant = events.filter { open[$0.delivery] != nil }
        let numbers =
            try meant.isEmpty ? [:] : numbers(ofInstallations: Set(meant.map(\.installation)).sorted())
        var places: [String: (places: [Int64: ReachedIndex.Place], isComplete: Bool)] = [:]
        for (delivery, window) in open {
            let asked = Set(meant.lazy.filter { $0.delivery == delivery }.compactMap { numbers[$0.installation] })
            places[delivery] = try index.find(asked, in: window, self)
        }
        return events.map { event in
            guard let window = open[event.delivery], let found = places[event.delivery],
                let number = numbers[event.installation]
            else { return (.refused, nil) }
            let (now, skew) = (now, DeviceEvent.clockSkew)
            let time = event.at ?? now
            guard window.startedAt - skew <= time, time <= now + skew else {
                return (.refused, nil)
            }
            guard let place = found.places[number] else { return (found.isComplete ? .refused : .later, nil) }
            let at = min(max(time, window.startedAt), now)
            return (
                .accepted,
                EventRow(delivery: event.delivery, kind: event.kind, number: number, place: place, at: at)
            )
        }
    }

    /// Returns the devices that reported events of a delivery; nil when it counts none.
    func eventFigures(of delivery: String) throws -> EventFigures? {
        guard try !eventWindows(of: [delivery]).isEmpty else { return nil }
        var figures = EventFigures()
        for (kind, place, devices) in try eventSums(of: delivery) {
            if figures.parts.last.map({ ($0.number, $0.form) != (place.part, place.form) }) ?? true {
                figures.parts.append(EventFigures.Part(number: place.part, form: place.form))
            }
            let last = figures.parts.count - 1
            switch kind {
            case .received: figures.parts[last].received = devices
            case .opened: figures.parts[last].opened = devices
            case .dismissed: figures.parts[last].dismissed = devices
            }
        }
        return figures
    }
}

extension ReachedIndex {
    /// Finds installations in the reached set of a delivery; reads what is not known of it, unless it did so just now.
    ///
    /// - Returns: their places, and true if those that were not found never will be.
    fileprivate func find(
        _ numbers: Set<Int64>, in window: EventWindow, _ db: any RegistryTransaction
    ) throws -> (places: [Int64: Place], isComplete: Bool) {
        let delivery = window.delivery
        let known = look(for: numbers, in: delivery, closedAt: window.closedAt)
        if known.places.count == numbers.count || known.isComplete { return known }
        guard let rows = rowsToRefresh(delivery) else { return known }
        let keys = try db.reachedKeys(by: delivery)
        for key in keys where !rows.contains(key) {
            guard let row = try db.reached(by: delivery, key) else { continue }
            take((key, row.form, try row.numbers()), of: delivery)
        }
        let isFinal = try window.closedAt != nil && !db.hasOpenBatch(delivery)
        noteReading(of: delivery, keys, closedAt: isFinal ? window.closedAt : nil)
        return look(for: numbers, in: delivery, closedAt: window.closedAt)
    }
}
