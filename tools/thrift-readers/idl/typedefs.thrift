// Rules that belong to the names of types.
// not for fastgo: its generator fails on containers that are typedefs
typedef i32 (vt.gt = "0") Positive
typedef string (vt.min_size = "2") Name
typedef list<Positive> Positives
typedef map<Name, Positives> Table
struct Root {
  1: Positive one
  2: Name name (vt.max_size = "6")
  3: Positives many (vt.max_size = "4")
  4: Table table
  5: optional Positive some (vt.lt = "100")
  6: list<Name> names
}
