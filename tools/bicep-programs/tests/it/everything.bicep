targetScope = 'resourceGroup'
metadata owner = { name: 'us', mail: ['a', 'b'] }
import { one, two as deux, 'three-four' as five } from 'types.bicep'
import * as all from 'types.bicep'
extension kubernetes as k8s
extension 'br:example.azurecr.io/x:1.0.0' with { namespace: 'default', kubeConfig: kubeConfig } as other
extension microsoftGraph
@description('A parameter.')
@allowed(['a', 'b'])
@sys.minLength(1)
param plain string = 'a'
param typed 'x' | 'y' | 'z' = 'x'
param nullable { a: string?, b: int[], *: bool }? = null
param list (string | int)[]
param derived resourceInput<'Microsoft.Storage/storageAccounts@2023-01-01'>.properties
param old resource 'Microsoft.Storage/storageAccounts@2023-01-01'
var negative = -1 + -2 * (3 - 4) / 5 % 6
var logic = !a && b || c == d && e != f || g =~ h && i !~ j || k < l || m <= n || o > p || q >= r
var fallback = a.?b ?? c[?0] ?? d[^1] ?? e!.f ?? g::h
var typedVariable string = '${a}-${b.c[0]}-${d('e')}'
var text = 'a\n\'b\' \${c} ${ 'nested ${deep}' }'
var lines = '''
  some ${text}
  more
'''
var interpolated = $'''
  some ${text} and ${other}
'''
var choice = a ? b : c ? { d: 1 } : [2, 3]
var values = [1, 'two', true, false, null, [], {}, [[]], [{ a: 1 }], ...others]
var object = { a: 1, 'b-c': 2, '${d}': 3, ...others, e: { f: [{ g: 'h' }], i: {} } }
var loop = [for item in items: item]
var indexed = [for (item, index) in items: { name: '${item}-${index}', value: { index: index } }]
var call = union(a, b, { c: 1 })
var calls = a.b(c).d(e, [1, 2]).f(g, h => h.i, (j, k) => { l: j, m: k })
var lambdas = map(filter(list, x => x > 1), y => [y])
var nested = union({ a: first(map(b, c => { d: c })) }, { e: f ? { g: 1 } : {} }, [1])
var empty = concat()
var one = any({ a: 1, b: { c: 2 } })
type literal = 'a' | 1 | true | null | -1 | {} | []
type reference = literal? | all.thing | literal[]
type items = [
  string
  @description('An item.')
  'a' | 'b'
  int[]
  literal!
  { a: 1 }
]
type tuple = [string, 'a' | 'b', 'c' | 'd']
type leading = | 'a' | 'b'
@sealed()
type record = {
  a: string
  @description('b')
  @minLength(1)
  b: literal?
  'c-d': [int, string]
  *: (1 | 2)[]
}
type inline = { a: string, b: int }
type access = record.a
type additional = record.*
type element = items[0]
type elements = list[*]
type input = resourceInput<'Microsoft.Storage/storageAccounts@2023-01-01'>
type qualified = sys.resourceOutput<'Microsoft.Storage/storageAccounts@2023-01-01'>.name
func simple() string => 'a'
func several(a string, b { c: int }, d 'e' | 'f') literal[] => [a, b.c, d]
func body(a string) object => { a: a, b: [a] }
@description('A resource.')
resource account 'Microsoft.Storage/storageAccounts@2023-01-01' = { name: 'a', location: location }
resource existing 'Microsoft.Storage/storageAccounts@2023-01-01' existing = { name: 'a', scope: resourceGroup('b') }
resource conditional 'Microsoft.Storage/storageAccounts@2023-01-01' = if (a && b) { name: 'a' }
resource parent 'Microsoft.Storage/storageAccounts@2023-01-01' = {
  name: 'a'
  resource child 'blobServices' = { name: 'default' }
  @batchSize(1)
  resource children 'blobServices' = [for i in range(0, 2): { name: 'b${i}' }]
}
module local 'local.bicep' = { name: 'a', params: { b: account::child.id } }
module many 'br/public:avm/res/x/y:0.1.0' = [for (a, i) in b: if (a.c) { name: 'd${i}', params: { e: a } }]
output value string = account.properties.primaryEndpoints.blob
output long 'a' | 'b' | 'c' = a ? 'a' : b ? 'b' : 'c'
output bare resource = account
assert small = length(list) < 3
