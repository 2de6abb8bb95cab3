// What the servers serve whose handlers log the calls that reach them.
namespace go calls
namespace java calls
namespace py calls

service Calls {
    string say(1: string text (vt.min_size = "1"), 2: i32 count (vt.ge = "0", vt.lt = "1000000000"))
    oneway void note(1: string text (vt.min_size = "1"))
}

service Other {
    string tell(1: string text (vt.min_size = "1"), 2: i32 count (vt.lt = "0"))
}
