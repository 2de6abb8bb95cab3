// The messages of the benchmarks. Everyone reads this file: our validator, thriftgo with its validator, and pilota.
namespace go messages
namespace rs messages

enum Kind { Unknown = 0, Private = 1, Business = 2, Public = 3 }

struct Address {
    1: string street (vt.min_size = "1", vt.max_size = "64")
    2: string city (vt.min_size = "1", vt.max_size = "40")
    3: string country (vt.min_size = "2", vt.max_size = "2")
    4: i32 zip (vt.ge = "1000", vt.le = "99999")
}

// A message as services pass them around: all kinds of fields, a rule on most.
struct Request {
    1: string name (vt.min_size = "1", vt.max_size = "64")
    2: i32 count (vt.gt = "0", vt.le = "1000")
    3: i64 user (vt.gt = "0")
    4: double ratio (vt.ge = "0", vt.le = "1")
    5: Kind kind (vt.defined_only = "true")
    6: list<i32> scores (vt.max_size = "16", vt.elem.ge = "0", vt.elem.le = "100")
    7: map<string, i64> limits (vt.max_size = "16", vt.key.min_size = "1", vt.value.ge = "0")
    8: Address address
    9: i32 least (vt.ge = "0")
    10: i32 most (vt.ge = "$least")
    11: string editor (vt.in = "vim", vt.in = "emacs", vt.in = "helix")
    12: optional string note (vt.max_size = "200")
}

// The same without the map and the reference.
struct Plain {
    1: string name (vt.min_size = "1", vt.max_size = "64")
    2: i32 count (vt.gt = "0", vt.le = "1000")
    3: i64 user (vt.gt = "0")
    4: double ratio (vt.ge = "0", vt.le = "1")
    5: Kind kind (vt.defined_only = "true")
    6: list<i32> scores (vt.max_size = "16", vt.elem.ge = "0", vt.elem.le = "100")
    8: Address address
    11: string editor (vt.in = "vim", vt.in = "emacs", vt.in = "helix")
}

struct Item {
    1: string name (vt.min_size = "1", vt.max_size = "40")
    2: i32 quantity (vt.gt = "0", vt.le = "100")
    3: double price (vt.ge = "0")
}

// A long list of small structs.
struct Order {
    1: string id (vt.prefix = "order-", vt.max_size = "40")
    2: i64 customer (vt.gt = "0")
    3: list<Item> items (vt.min_size = "1", vt.max_size = "1000", vt.elem.skip = "false")
}

// Nearly nothing but patterns.
struct Patterns {
    1: string id (vt.pattern = "^[a-z][a-z0-9-]{1,61}[a-z0-9]$")
    2: string email (vt.pattern = "^[A-Za-z0-9._%+-]+@[A-Za-z0-9.-]+\\.[A-Za-z]{2,8}$")
    3: string date (vt.pattern = "^[0-9]{4}-[0-9]{2}-[0-9]{2}$")
    4: string word (vt.pattern = "(alpha|beta|gamma)-[0-9]+")
    5: list<string> tags (vt.elem.pattern = "^[a-z]+(-[a-z]+)*$")
}

// About a kilobyte with three rules in it.
struct Light {
    1: i64 id (vt.gt = "0")
    2: string title (vt.min_size = "1")
    3: string summary
    4: string body
    5: string author
    6: i64 created
    7: i64 changed
    8: bool published
    9: i32 views
    10: i32 likes
    11: double score
    12: list<string> tags
    13: list<i64> related
    14: map<string, string> labels
    15: string language (vt.max_size = "8")
    16: string region
    17: binary digest
    18: Link link
    19: i32 version
    20: string state
}

struct Link {
    1: string text
    2: string target
    3: i32 weight
}
