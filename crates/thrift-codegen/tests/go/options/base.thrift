namespace go options.base

enum Kind { A = 1, B = 2 }

struct Base {
  1: string name (vt.min_size = "1")
  2: Kind kind (vt.defined_only = "true")
}

typedef list<Base> Bases
