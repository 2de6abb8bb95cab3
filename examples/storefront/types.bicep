metadata description = 'What the parts of the shop agree on.'

@export()
@description('A stage of the shop; everything it owns is named after it.')
type stageType = 'dev' | 'test' | 'prod'

@export()
@description('A folder of files that the site serves.')
@sealed()
type shelfType = {
  @description('Lower-case letters, digits and hyphens.')
  @minLength(3)
  @maxLength(63)
  name: string

  @description('Whether everybody may read it; nobody may unless this says so.')
  public: bool?

  @description('How long files are kept; for ever if it is left out.')
  @minValue(1)
  retentionDays: int?
}

@export()
@description('How many machines run the site, and which kind.')
@discriminator('kind')
type scaleType = fixedScale | growingScale

type fixedScale = {
  kind: 'fixed'
  @minValue(1)
  machines: int
}

type growingScale = {
  kind: 'growing'
  @minValue(1)
  from: int
  @maxValue(30)
  to: int
}

@export()
@description('The name of something in a stage, short enough for every service.')
func nameOf(stage stageType, part string) string => toLower(take('shop-${stage}-${part}', 40))

@export()
@description('What every resource is tagged with.')
var commonTags = {
  app: 'storefront'
  owner: 'shop-team'
}
