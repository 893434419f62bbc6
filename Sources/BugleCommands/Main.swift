internal import ArgumentParser
internal import CLibrary
internal import CMalloc

@main
enum Main {
    static func main() async {
        bugle_malloc_reserve_heaps()
        // A reader that goes away (`| head`) must not end an apply with its lock held and its results unwritten.
        signal(SIGPIPE, SIG_IGN)
        await Bugle.start()
    }
}
