targetScope = 'managementGroup'

param text string

output text string = text
