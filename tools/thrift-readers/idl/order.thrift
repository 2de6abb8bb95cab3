// What a shop sends.
namespace * shop
enum State { NEW = 1, PAID = 2, SENT = 3 }
typedef string (vt.pattern = "^[A-Z]{3}$") Currency
struct Money { 1: required i64 cents (vt.ge = "0"), 2: required Currency currency }
struct Address { 1: required string street (vt.min_size = "1", vt.max_size = "20"), 2: optional string zip (vt.pattern = "^[0-9]{5}$") }
union Payment { 1: string card (vt.pattern = "^[0-9]{4}$"), 2: Money cash }
struct Item { 1: required string sku (vt.min_size = "2"), 2: i32 quantity (vt.gt = "0", vt.le = "99"), 3: optional Money price (vt.not_nil = "true") }
struct Root {
  1: required string id (vt.prefix = "o-")
  2: required State state (vt.defined_only = "true")
  3: list<Item> items (vt.min_size = "1")
  4: optional Address address
  5: optional Payment payment
  6: map<string, string> notes (vt.max_size = "2", vt.key.min_size = "1")
  7: set<i64> coupons (vt.elem.gt = "0")
  8: i32 count (vt.ge = "@len($items)")
}
// try "o-1" "EUR" "USD" "Main St 1" "12345" "4242" "sku"
