using 'main.bicep'

param name = 'myfirststorage'
