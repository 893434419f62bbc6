internal import PushModel
internal import RegistryModel

extension DeployMachine {
    /// Decides what becomes of events, without writing any; `index` is what is known of the reached sets, and takes what
    /// it lacks.
    func judge(_ events: [DeviceEvent], _ index: ReachedIndex) throws -> [(fate: DeviceEvent.Fate, row: EventRow?)] {
        let windows = Dictionary(
            uniqueKeysWithValues: try transaction.eventWindows(of: Set(events.map(\.delivery)).sorted()).map {
                ($0.delivery, $0)
            })
        let open = windows.filter { !$0.value.isOver(at: transaction.now) }
        let meant = events.filter { open[$0.delivery] != nil }
        let numbers =
            try meant.isEmpty ? [:] : transaction.numbers(ofInstallations: Set(meant.map(\.installation)).sorted())
        var places: [String: (places: [Int64: ReachedIndex.Place], isComplete: Bool)] = [:]
        for (delivery, window) in open {
            let asked = Set(meant.lazy.filter { $0.delivery == delivery }.compactMap { numbers[$0.installation] })
            places[delivery] = try index.find(asked, in: window, transaction)
        }
        return events.map { event in
            guard let window = open[event.delivery], let found = places[event.delivery],
                let number = numbers[event.installation]
            else { return (.refused, nil) }
            let (now, skew) = (transaction.now, DeviceEvent.clockSkew)
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

    /// Writes accepted events; returns the deliveries whose time ended meanwhile, of which nothing was written.
    func add(_ events: [EventRow]) throws -> Set<String> {
        let deliveries = Set(events.map(\.delivery))
        let open = try transaction.holdEventWindows(deliveries.sorted())
        try transaction.add(events.filter { open.contains($0.delivery) })
        return deliveries.subtracting(open)
    }

    /// Returns the devices that reported events of a delivery; nil when it counts none.
    func events(of delivery: String) throws -> EventFigures? {
        guard try !transaction.eventWindows(of: [delivery]).isEmpty else { return nil }
        var figures = EventFigures()
        for (kind, place, devices) in try transaction.eventSums(of: delivery) {
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

    /// Returns the newest deliveries that count events, at most so many.
    func countedDeliveries(most: Int) throws -> [CountedDelivery] {
        try transaction.newestEventWindows(most: most).compactMap { delivery, startedAt in
            guard let journal = try transaction.journal(of: delivery, .free), let events = try events(of: delivery)
            else {
                return nil
            }
            return CountedDelivery(
                delivery: delivery, workspace: journal.workspace,
                campaign: try transaction.campaign(of: delivery, in: journal.workspace), startedAt: startedAt,
                accepted: try figures(of: journal).accepted, events: events)
        }
    }

    /// Accepts no more events of the deliveries whose time is over.
    func endEvents() throws {
        for window in try transaction.eventWindows(of: nil) where window.isOver(at: transaction.now) {
            try transaction.endEventWindow(of: window.delivery)
        }
    }

    /// Folds some events of a delivery whose time is over; false when there are none.
    func foldEvents() throws -> Bool {
        guard let delivery = try transaction.deliveryToFold() else { return false }
        var counts: [EventCount: Int] = [:]
        for event in try transaction.takeEvents(of: delivery, most: 5000) { counts[EventCount(event), default: 0] += 1 }
        try transaction.add(counts, of: delivery)
        return true
    }
}

extension ReachedIndex {
    /// Finds installations in the reached set of a delivery; reads what is not known of it, unless it did so just now.
    ///
    /// - Returns: their places, and true if those that were not found never will be.
    fileprivate func find(
        _ numbers: Set<Int64>, in window: EventWindow, _ transaction: any DeployTransaction
    ) throws -> (places: [Int64: Place], isComplete: Bool) {
        let delivery = window.delivery
        let known = look(for: numbers, in: delivery, closedAt: window.closedAt)
        if known.places.count == numbers.count || known.isComplete { return known }
        guard let rows = rowsToRefresh(delivery) else { return known }
        let keys = try transaction.reachedKeys(by: delivery)
        for key in keys where !rows.contains(key) {
            guard let row = try transaction.reached(by: delivery, key) else { continue }
            take((key, row.form, try row.numbers()), of: delivery)
        }
        let isFinal = try window.closedAt != nil && !transaction.hasOpenBatch(delivery)
        noteReading(of: delivery, keys, closedAt: isFinal ? window.closedAt : nil)
        return look(for: numbers, in: delivery, closedAt: window.closedAt)
    }
}
