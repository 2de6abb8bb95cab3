// Rules that several programs share. A function that returns a verdict, { kind: 'success' } or { kind: 'failure', errorMessage: '...' },
// is a decorator wherever it is imported.

@export()
@description('A name that can be a part of the names of resources and hosts.')
func label(value string, longest int) object => length(value) > longest
  ? { kind: 'failure', errorMessage: 'a name has at most ${longest} characters' }
  : empty(filter(range(0, length(value)), i => !contains('abcdefghijklmnopqrstuvwxyz0123456789', substring(value, i, 1))))
      ? { kind: 'success' }
      : { kind: 'failure', errorMessage: 'a name has small letters and digits only' }

@export()
@description('An amount that can be paid in notes.')
func inNotesOf(value int, note int) object => value % note == 0
  ? { kind: 'success' }
  : { kind: 'failure', errorMessage: 'an amount is a multiple of ${note}' }

@export()
@description('A team in which one person is in charge.')
func hasOneLead(members array) object => length(filter(members, member => member.role == 'lead')) == 1
  ? { kind: 'success' }
  : { kind: 'failure', errorMessage: 'exactly one person of a team is in charge' }
