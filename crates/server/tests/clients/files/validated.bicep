func multiple(n int, of int) object => n % of == 0
  ? { kind: 'success' }
  : { kind: 'failure', errorMessage: '${n} is not a multiple of ${of}' }

@multiple(512)
param memory int

output memory int = memory
