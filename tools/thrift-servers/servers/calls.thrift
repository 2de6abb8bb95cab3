// What the servers serve whose handlers log the calls that reach them.
namespace go calls
namespace java calls
namespace py calls

enum Size {
    SMALL = 1
    LARGE = 2
}

union Place {
    1: string street
    2: i32 box
}

// What some readers refuse when they are in the middle of a message, and then go on there.
struct Parcel {
    1: required Size size
    2: optional Place place
    3: optional list<bool> marks
    4: optional string note
}

struct Load {
    1: Parcel parcel
}

service Calls {
    string say(1: string text (vt.min_size = "1"), 2: i32 count (vt.ge = "0", vt.lt = "1000000000"))
    oneway void note(1: string text (vt.min_size = "1"))
    string send(1: string text (vt.min_size = "1"), 2: i32 count (vt.ge = "0", vt.lt = "1000000000"), 3: Load load)
    // Arguments that are a call of `say` to a server that goes on with them as the next message, in the compact protocol: the two
    // truth values are its mark, its version and its kind. The handler does not log it.
    string mark(8: bool first, 10: bool second, 11: string name, 12: string text, 13: i32 count)
}

service Other {
    string tell(1: string text (vt.min_size = "1"), 2: i32 count (vt.lt = "0"))
}
