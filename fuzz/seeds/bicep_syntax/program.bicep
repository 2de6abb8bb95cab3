param a string = 'x${1}'
@description('d')
resource r 'A/b@2020-01-01' = [for i in range(0, 2): if (i > 0) {
  name: a
}]
output o int = r[0].p.?q![^1]
