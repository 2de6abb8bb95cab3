using 'main.bicep' with { mode: 'stack', scope: '/subscriptions/a' }
using none
extends 'base.bicepparam'
import { a } from 'b.bicep'
var shared = { a: 1 }
param plain = 'a'
param choice = shared.a == 1 ? ['b'] : readEnvironmentVariable('C', 'd')
extensionConfig k8s with { namespace: 'default' }
type unused = 'a' | 'b'
