// An order service with the rules that its messages must satisfy.
namespace go example.order

enum Currency {
    EUR = 1
    USD = 2
    CHF = 3
}

struct Item {
    1: required string sku (vt.pattern = "^[A-Z]{3}-[0-9]{4}$")
    2: i32 quantity = 1 (vt.ge = "1", vt.le = "1000")
    3: i64 price (vt.gt = "0", vt.message = "an item has a price")
}

struct Address {
    1: string street (vt.min_size = "1")
    2: string country (vt.in = "[DE, AT, CH]")
}

struct Order {
    1: string id (vt.prefix = "o-", vt.max_size = "40")
    2: Currency currency (vt.defined_only = "true")
    3: list<Item> items (vt.min_size = "1", vt.max_size = "100")
    4: i64 discount (vt.ge = "0", vt.le = "$total")
    5: i64 total (vt.ge = "0")
    6: optional Address ship_to
    7: map<string, string> notes (vt.key.max_size = "20", vt.value.max_size = "200")
    8: optional string card (vt.pattern = "^[0-9]{16}$", vt.redact = "true")
}

exception Refused {
    1: string reason
}

service Orders {
    string place(1: Order order (vt.not_nil = "true")) throws (1: Refused refused)
    oneway void forget(1: string id (vt.prefix = "o-"))
}
