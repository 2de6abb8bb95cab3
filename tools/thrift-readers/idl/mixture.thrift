// Containers of unions, enums and typedefs, with structs of every requiredness below.
// not for fastgo: its generator fails on containers that are typedefs
enum Mode { OFF = 0, ON = 1 }
typedef map<i32, Mode> Modes
union Cell { 1: bool flag (vt.const = "true"), 2: double number (vt.gt = "0"), 3: Modes modes }
struct Box { 1: required Mode mode (vt.defined_only = "true"), 2: Cell cell, 3: optional list<Cell> cells (vt.min_size = "1") }
struct Root {
  1: map<string, Cell> cells (vt.max_size = "3")
  2: list<map<i32, Mode>> modes (vt.elem.value.defined_only = "true", vt.elem.key.ge = "0")
  3: list<Box> boxes
  4: optional map<Mode, Box> by_mode (vt.key.defined_only = "true")
  5: list<list<Cell>> grid (vt.elem.max_size = "2")
}
