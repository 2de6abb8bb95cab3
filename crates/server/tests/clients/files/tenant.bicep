targetScope = 'tenant'

param text string

output text string = text
