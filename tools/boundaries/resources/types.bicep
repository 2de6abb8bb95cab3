func startsOk(text string) object => startsWith(text, 'ok-')
  ? { kind: 'success' }
  : { kind: 'failure', errorMessage: 'must start with ok-' }

// Answers what its argument asks for, so that all kinds of nonsense are heard.
func judged(text string) object => text == 'yes' ? { kind: 'success' } : any({
  no: { kind: 'failure', errorMessage: 'no' }
  array: []
  text: 'success'
  number: 1
  'null': null
  nothing: {}
  other: { kind: 'perhaps' }
  'number kind': { kind: 1 }
  'no text': { kind: 'failure' }
  'number text': { kind: 'failure', errorMessage: 5 }
  'null text': { kind: 'failure', errorMessage: null }
}[text])

@sealed()
type shapeA = { kind: 'a', v: int }
@sealed()
type shapeB = { kind: 'b', w: string }
@discriminator('kind')
type shape = shapeA | shapeB

@sealed()
type deep = { leaf: int }
@sealed()
type inner = { leaf: string, deep: deep? }

@sealed()
type vault = {
  @secure()
  key: string
  size: int?
}

@sealed()
type widget = {
  @minLength(2)
  @maxLength(10)
  name: string
  @minValue(1)
  @maxValue(9)
  count: int
  on: bool?
  mode: ('fast' | 'slow')?
  level: (1 | 2 | 3)?
  @minLength(1)
  @maxLength(4)
  list: string[]?
  nums: int[]?
  pair: [string, int]?
  shape: shape?
  shapes: shape[]?
  maybe: string?
  @secure()
  @maxLength(40)
  sec: string?
  @startsOk()
  code: string?
  @judged()
  judge: string?
  free: object?
  inner: inner?
  map: { *: int }?
  vault: vault?
}
