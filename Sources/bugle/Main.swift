internal import ArgumentParser
internal import BugleCommands
internal import CMalloc

@main
enum Main {
    static func main() async {
        bugle_malloc_reserve_heaps()
        await Bugle.main()
    }
}
