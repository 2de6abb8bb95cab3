// What people do with the pages, one function for each story.

import fs from 'node:fs';
import path from 'node:path';

import { Server } from './server.mjs';

const VERSION = 'api-version=2025-04-01';
const GROUP = '/subscriptions/00000000-0000-0000-0000-000000000001/resourceGroups/shop';
const TYPE = 'Test.Data/databases';

const MANIFEST = {
  namespace: 'Test.Data',
  types: {
    databases: {
      description: 'Databases for tests.',
      apiVersions: {
        '2025-01-01': {
          schema: {
            type: 'object',
            properties: {
              environment: { type: 'string', description: 'Where it runs.' },
              size: { type: 'string', enum: ['S', 'M', 'L'], description: 'How large it is.' },
              port: { type: 'integer', minimum: 1, maximum: 65535 },
              hosts: { type: 'array', items: { type: 'object', properties: { name: { type: 'string' } } } },
            },
            required: ['environment', 'size'],
          },
        },
      },
    },
  },
};

const HOSTILE = '<script>document.title = "taken"</script>\u202e';

const template = (resources) => ({
  $schema: 'https://schema.management.azure.com/schemas/2019-04-01/deploymentTemplate.json#',
  contentVersion: '1.0.0.0',
  resources,
});

const account = (name, properties = {}, more = {}) => ({
  type: 'Test.Storage/accounts',
  apiVersion: '2025-01-01',
  name,
  location: 'north',
  properties,
  ...more,
});

async function reports({ run, folder, page: open, look }) {
  fs.writeFileSync(path.join(folder, 'main.json'), JSON.stringify(template([account('one'), account('two', {}, { dependsOn: ['one'] })]), null, 2));
  const made = run('deploy', 'main.json', '--state', 'reported', '--report', 'report.html');
  if (made.status !== 0) throw new Error(`${made.stdout}${made.stderr}`);
  const page = await open('file://');
  await page.open(`file://${path.join(folder, 'report.html')}`);
  await page.sees('Time line');
  await look(page);
}


const SCOPE = GROUP;
const deployment = (name) => `${SCOPE}/providers/Microsoft.Resources/deployments/${name}`;

// A resource that is not ready until somebody says so.
const waiting = (name, time) => account(name, { status: 'Busy' }, {
  '@options': { waitUntil: ["[lambda('x', equals(lambdaVariables('x').status, 'Ready'))]", time] },
});

const deploy = ({ server, owner }, name, resources) => server.ask('PUT', `${deployment(name)}?${VERSION}`, owner, {
  properties: { mode: 'Incremental', template: template(resources) },
});

// Says that a resource is ready, as soon as it is there.
async function ready({ server, owner }, name) {
  for (let attempts = 0; ; attempts += 1) {
    const body = { properties: { status: 'Ready' } };
    const sent = server.ask('PATCH', `${SCOPE}/providers/Test.Storage/accounts/${name}?${VERSION}`, owner, body);
    const failure = await sent.then(() => undefined, (error) => error);
    if (!failure) return;
    if (attempts === 300 || !failure.message.includes('ResourceNotFound')) throw failure;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

async function signIn(tools) {
  const { server, page: open, look } = tools;
  tools.owner = server.token('owner', 'owner', '/');
  await server.ask('PUT', `${SCOPE}?${VERSION}`, tools.owner, { location: 'north' });
  await server.ask('POST', '/planes/radius/local/providers/System.Resources/resourceProviders?api-version=2023-10-01-preview', tools.owner, MANIFEST);
  const page = await open();
  await page.open('/ui');
  await page.sees('Sign in', 'h1');
  await look(page);
  await page.write('#token', 'tendon_0000000000000000_wrong');
  await page.follow(() => page.press('Enter'));
  await page.sees('not valid', '#problem');
  // The browser says that the answer was 401, which it was.
  page.forget();
  await look(page);
  await enter(tools, page);
  await page.sees('There is no deployment here');
  await look(page);
  tools.reader = page;
}

async function enter({ owner }, page) {
  await page.write('#token', owner);
  await page.follow(() => page.press('Enter'));
  await page.sees('Deployments', 'h1');
}

async function watch(tools) {
  const { reader: page, look } = tools;
  await page.open('/ui');
  await page.sees('There is no deployment here', '#list');
  await deploy(tools, 'watched', [waiting('slow', 'PT2M'), account('after', {}, { dependsOn: ['slow'] })]);
  // The list is loaded again by itself.
  await page.sees('Running', '#list table');
  await page.follow(() => page.click('table a[href*="watched"]'));
  await page.sees('Running', '#state');
  await page.until('the page is connected', () => document.querySelector('#live').dataset.live === 'connected');
  await page.run(() => {
    globalThis.same = true;
  });
  await look(page);
  await ready(tools, 'slow');
  await page.sees('Succeeded', '#state');
  await page.sees('after', '#operations-part');
  if (!(await page.run(() => globalThis.same))) throw new Error('the page was loaded again');
  await page.until('what has ended cannot be cancelled', () => !document.querySelector('#cancel'));
  await look(page);
}

async function failure(tools) {
  const { reader: page, look } = tools;
  await deploy(tools, 'failed', [waiting('never', 'PT1S')]);
  await page.open(`/ui/deployments${deployment('failed')}`);
  await page.sees('Failed', '#state');
  await page.sees('WaitUntilTimeout', '#errors-part');
  const line = await page.text('#errors-part mark');
  if (!/^\d+ \| .*\S/.test(line)) throw new Error(`there is no source line: \`${line}\``);
  await look(page);
}

async function cancel(tools) {
  const { reader: page } = tools;
  await deploy(tools, 'unwanted', [waiting('endless', 'PT1H')]);
  await page.open(`/ui/deployments${deployment('unwanted')}`);
  await page.sees('Running', '#state');
  await page.follow(() => page.click('#cancel'));
  await page.sees('Canceled', '#state');
}

async function resources(tools) {
  const { reader: page, look, server, owner } = tools;
  await server.ask('PUT', `${SCOPE}/providers/Test.Storage/accounts/keeper?${VERSION}`, owner, {
    location: 'north',
    properties: { note: HOSTILE, other: `${SCOPE}/providers/Test.Storage/accounts/slow`, deep: { list: [1, { two: 'three' }] } },
  });
  await page.open('/ui/resources');
  await page.sees('keeper', 'table');
  await look(page);
  await page.follow(() => page.click('a[href$="accounts/keeper"]'));
  await page.sees('<script>', '.tree');
  await page.sees('properties.other');
  await look(page);
  const folded = await page.run(() => !document.querySelector('.tree').innerText.includes('three'));
  if (!folded) throw new Error('what is deep is not folded');
  await page.run(() => document.querySelectorAll('.tree details').forEach((it) => (it.open = true)));
  await page.sees('three', '.tree');
  await page.follow(() => page.click('a[href$="accounts/slow"]'));
  await page.sees('slow', 'h1');
}

async function check(tools) {
  const { reader: page, look } = tools;
  await page.open('/ui/types');
  await page.sees(TYPE, 'table');
  await look(page);
  await page.follow(() => page.click(`a[href$="${TYPE}"]`));
  await page.sees('one of S, M, L', 'table.schema');
  await page.write('#check-text', 'properties:\n  environment: test\n  size: XL\n  port: 0\n  extra: 1\n');
  // While somebody types, without the button.
  await page.sees('3 violations', '#check-result');
  await page.sees('line 3, column 9', '#check-result');
  await page.sees('size: XL', '#check-result');
  await page.sees('^^', '#check-result');
  await look(page);
  await page.write('#check-text', '{"properties": {"environment": "test", "size": "L"}}');
  await page.sees('1 resource valid', '#check-result');
}

async function playground(tools) {
  const { reader: page, look } = tools;
  await page.open('/ui/playground');
  await page.write('#scope', SCOPE);
  await page.write('#template', JSON.stringify(template([account('fresh'), account('slow', { status: 'Ready', more: 1 })]), null, 2));
  await page.follow(() => page.click('form.playground button'));
  await page.sees('would be accepted', '#result');
  await page.sees('properties.more', '.diff[open]');
  await page.until('there is a picture', () => document.querySelector('svg.tendon-graph rect'));
  await look(page);
  // What changes is open, and can be folded.
  await page.click('.diff[open] > summary');
  await page.until('the difference is folded', () => !document.querySelector('.diff.change').open);
  await page.press('Enter');
  await page.until('the difference is open again', () => document.querySelector('.diff.change').open);
  await page.write('#template', '{\n  "resources": [\n    {"type": 5}\n  ]\n}');
  await page.follow(() => page.click('form.playground button'));
  await page.sees('line 3', '#result');
  await look(page);
  await page.write('#template', "@maxValue(3)\nparam size int\n\noutput twice int = size * 2\n");
  await page.write('#parameters', '{"size": 5}');
  await page.follow(() => page.click('form.playground button'));
  await page.sees('parameters:1:', '#result');
  await page.sees('main.bicep:1:', '#result');
  await page.write('#parameters', '{"size": 2}');
  await page.follow(() => page.click('form.playground button'));
  await page.sees('would be accepted', '#result');
}

async function local({ tendon, folder, browser, look }) {
  const server = new Server(tendon, path.join(folder, 'local'));
  await server.start('local');
  try {
    const page = await browser.page(server.url);
    await page.open('/ui');
    await page.sees('Deployments', 'h1');
    await look(page);
  } finally {
    await server.stop();
  }
}

async function themes(tools) {
  const { reader: page } = tools;
  await page.open('/ui');
  const colour = () => page.run(() => getComputedStyle(document.body).backgroundColor);
  const light = await colour();
  await page.follow(() => page.click('.theme button[value=dark]'));
  const dark = await colour();
  if (light === dark) throw new Error(`light and dark are the same: ${dark}`);
  await page.open('/ui/types');
  if ((await colour()) !== dark) throw new Error('the theme is forgotten');
  await page.dark(false);
  await page.follow(() => page.click('.theme button[value=system]'));
  if ((await colour()) !== light) throw new Error('the theme of the system does not count');
  await page.dark(true);
  if ((await colour()) !== dark) throw new Error('the dark theme of the system does not count');
  await page.dark(false);
}

async function keyboard(tools) {
  const page = await tools.page();
  await page.open('/ui');
  const focus = async (what) => {
    for (let presses = 0; presses < 60; presses += 1) {
      await page.press('Tab');
      if (await page.run((what) => document.activeElement.matches(what), what)) return;
    }
    throw new Error(`the tabulator key does not lead to ${what}`);
  };
  // The field has the focus already.
  await page.type(tools.owner);
  await page.follow(() => page.press('Enter'));
  await page.sees('Deployments', 'h1');
  await page.press('Tab');
  if (!(await page.run(() => document.activeElement.matches('.skip')))) throw new Error('the first key does not lead to the skip link');
  await page.press('Enter');
  await page.until('the content has the focus', () => document.activeElement.id === 'main');
  await focus('table a[href*="failed"]');
  await page.follow(() => page.press('Enter'));
  await page.sees('WaitUntilTimeout');
  await focus('nav a[href="/ui/types"]');
  await page.follow(() => page.press('Enter'));
  await page.sees('Resource types', 'h1');
}

async function withoutScripts(tools) {
  const page = await tools.page();
  await page.scripts(false);
  await page.open('/ui');
  await enter(tools, page);
  for (const [address, text] of [
    ['/ui', 'watched'],
    [`/ui/deployments${deployment('failed')}`, 'WaitUntilTimeout'],
    ['/ui/resources', 'keeper'],
    [`/ui/resources${SCOPE}/providers/Test.Storage/accounts/keeper`, 'properties.other'],
    [`/ui/types/${TYPE}`, 'one of S, M, L'],
  ]) {
    await page.open(address);
    await page.sees(text);
  }
  await page.write('#check-text', 'properties: {size: XL}');
  await page.follow(() => page.click('form.check button'));
  await page.sees('violations', '#check-result');
}

async function lost(tools) {
  const { reader: page, server } = tools;
  await deploy(tools, 'resumed', [waiting('late', 'PT5M')]);
  await page.open(`/ui/deployments${deployment('resumed')}`);
  await page.until('the page is connected', () => document.querySelector('#live').dataset.live === 'connected');
  await page.run(() => {
    globalThis.same = true;
  });
  await server.stop();
  await page.sees('connection to the server is lost', '#connection');
  await server.start('token');
  await page.until('the page is connected again', () => document.querySelector('#live').dataset.live === 'connected');
  // Browsers tell of connections that fail.
  page.forget();
  await ready(tools, 'late');
  await page.sees('Succeeded', '#state');
  if (!(await page.run(() => globalThis.same))) throw new Error('the page was loaded again');
  if (await page.run(() => document.querySelector('#connection').checkVisibility())) throw new Error('the page still says that the connection is lost');
}

async function signedOut(tools) {
  const { server } = tools;
  const guest = server.token('guest', 'reader', '/');
  await deploy(tools, 'left', [waiting('far', 'PT5M')]);
  const page = await tools.page();
  await page.open(`/ui/deployments${deployment('left')}`);
  await page.write('#token', guest);
  await page.follow(() => page.press('Enter'));
  await page.until('the page is connected', () => document.querySelector('#live').dataset.live === 'connected');
  const list = await tools.browser.page(server.url);
  await list.open('/ui');
  await enter({ owner: guest }, list);
  server.revoke(guest);
  await page.sees('You are signed out', '#connection');
  await list.sees('You are signed out', '#connection');
  // Nobody tries again what cannot work.
  await page.until('the page does not try again', () => document.querySelector('#live').dataset.live === 'refused');
  page.forget();
  await tools.look(page);
  await page.follow(() => page.click('#connection a'));
  await page.sees('Sign in', 'h1');
  await ready(tools, 'far');
}

export const STORIES = [
  ['a report is one file that everybody can read', reports],
  ['nobody signs in to a local server', local],
  ['somebody signs in', signIn],
  ['a deployment is watched while it runs', watch],
  ['a failure is shown with its source line', failure],
  ['a deployment is cancelled', cancel],
  ['resources are listed and their bodies unfolded', resources],
  ['a wrong resource is checked as one types', check],
  ['a template is tried, and its changes are folded', playground],
  ['themes are switched', themes],
  ['everything is done with the keyboard', keyboard],
  ['pages are read without scripts', withoutScripts],
  ['a session that has ended is told', signedOut],
  ['a lost connection is told, and caught up with', lost],
];
