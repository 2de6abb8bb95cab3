// a
var a = [1, /* b */ 2 // c
]
#disable-next-line d   e
var f = g(h, i => { // j
  k: i ? l /* m */ : n // o
}, /* p */ [
  ...q
])
type r = 's' | /* t */ [string, 'u' | 'v'] // w
