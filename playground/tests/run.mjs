// Serves the page as any web server would, opens it in a browser, and does what people do.
//
// usage: node run.mjs SITE FOLDER MODULES     FOLDER: gets pictures and what is left of a failure; MODULES: the folder of packages

import assert from 'node:assert/strict';
import fs from 'node:fs';
import http from 'node:http';
import path from 'node:path';

import { Browser } from '../../crates/server/tests/browser/browser.mjs';
import { checker, isAccessible, isInPlace, isQuiet, isReachable } from '../../crates/server/tests/browser/looks.mjs';

const LIMIT = 300_000; // milliseconds, for everything
const FIRST_RESULT = 1_000; // milliseconds from the start of loading, on a machine with nothing else to do; several times that elsewhere
const TYPES = { '.html': 'text/html; charset=utf-8', '.js': 'text/javascript', '.css': 'text/css', '.svg': 'image/svg+xml', '.wasm': 'application/wasm' };

const [site, folder, modules] = process.argv.slice(2, 5).map((each) => path.resolve(each));
fs.mkdirSync(folder, { recursive: true });
const server = http.createServer((request, response) => {
  const name = new URL(request.url, 'http://localhost').pathname.slice(1) || 'index.html';
  const file = path.join(site, path.basename(name));
  if (!fs.existsSync(file)) return response.writeHead(404).end();
  response.writeHead(200, { 'content-type': TYPES[path.extname(file)] ?? 'application/octet-stream' });
  return fs.createReadStream(file).pipe(response);
});
await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
const origin = `http://127.0.0.1:${server.address().port}`;
const browser = new Browser(path.join(folder, 'profile'));
const axe = checker(modules);
let page;

const end = (code, message) => {
  if (message) console.error(message);
  browser.end();
  server.close();
  process.exit(code);
};
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => end(1, `ended by ${signal}`));
setTimeout(() => end(1, 'it takes too long'), LIMIT).unref();

const ready = (state) => page.until(`the page is ready (${state})`, (it) => document.body.dataset.ready === it || document.body.dataset.ready === 'types', state);
const picture = async (name) => fs.writeFileSync(path.join(folder, `${name}.png`), await page.picture());
const value = (selector) => page.run((it) => document.querySelector(it).value, selector);
// Puts the cursor behind a text of the source.
const behind = (text) => page.run((it) => {
  const source = document.querySelector('#source');
  const at = source.value.indexOf(it) + it.length;
  source.focus();
  source.setSelectionRange(at, at);
}, text);
const press = async (key, code, number, modifiers = 0) => {
  const event = { key, code, windowsVirtualKeyCode: number, modifiers };
  await page.send('Input.dispatchKeyEvent', { type: 'rawKeyDown', ...event });
  await page.send('Input.dispatchKeyEvent', { type: 'keyUp', ...event });
};

const STORIES = [
  ['the first result is there soon, without the types', async () => {
    await page.open('/');
    await ready('first');
    const mark = await page.run(() => Math.round(performance.getEntriesByName('first-result')[0].startTime));
    console.log(`   first result after ${mark} ms`);
    assert.ok(mark < 10 * FIRST_RESULT, `${mark} ms`);
    await page.sees('"$schema"', '#template');
    await ready('types');
    await page.sees('no problems', '#status');
    await picture('template');
  }],
  ['a mistake is underlined, told, and mended', async () => {
    await behind('allowBlobPublicAccess: false');
    await page.type("\n    minimumTlsVersio: 'x'");
    await page.sees('minimumTlsVersio', '#problems');
    await page.until('it is underlined', () => [...document.querySelectorAll('#painted .warning-mark')].some((it) => it.textContent.includes('minimumTlsVersio')));
    await picture('problem');
    await page.run(() => document.querySelector('#problems .jump').click());
    assert.equal(await page.run(() => { const it = document.querySelector('#source'); return it.value.slice(it.selectionStart, it.selectionEnd); }), 'minimumTlsVersio');
    await page.type('publicNetworkAcces');
    await page.sees('publicNetworkAcces', '#problems');
    const source = await value('#source');
    await page.write('#source', source.replace("    publicNetworkAcces: 'x'\n", ''));
    await page.sees('no problems', '#status');
  }],
  ['names are completed and explained with the keyboard', async () => {
    await behind('    allowBlobPublicAccess: false');
    await page.type('\n    publicN');
    assert.ok(await page.run(() => document.querySelector('#painted').textContent.includes('publicN')), 'what is typed is seen at once');
    await press(' ', 'Space', 32, 2);
    await page.until('there is a list', () => [...document.querySelectorAll('#completions li')].some((it) => it.textContent.includes('publicNetworkAccess')));
    await picture('completion');
    await page.press('Enter');
    assert.match(await value('#source'), /publicNetworkAccess:/);
    await behind('name: toLow');
    await press('h', 'KeyH', 72, 1);
    await page.sees('toLower', '#hover');
    await page.press('Escape');
    assert.equal(await page.run(() => document.querySelector('#hover').hidden), true);
    await page.run(() => { const it = document.querySelector('#examples'); it.dispatchEvent(new Event('change')); });
    await page.sees('no problems', '#status');
  }],
  ['a program is formatted', async () => {
    await page.write('#source', 'param   a    int\noutput o int=a\n');
    await page.click('#format');
    await page.until('it is formatted', () => document.querySelector('#source').value === 'param a int\noutput o int = a\n');
    await page.run(() => { const it = document.querySelector('#examples'); it.dispatchEvent(new Event('change')); });
    await page.sees('no problems', '#status');
  }],
  ['a prediction is made, kept, and compared with the next one', async () => {
    await page.click('#tab-prediction');
    await page.sees('https://shop.blob.example/', '#prediction');
    await page.sees('4 to create', '#changes-count');
    await page.click('#keep');
    await page.sees('4 unchanged', '#changes-count');
    const source = await value('#source');
    await page.write('#source', source.replace('range(0, 3)', 'range(0, 2)').replace("'StorageV2'", "'BlobStorage'"));
    await page.sees('1 to change, 1 to delete, 2 unchanged', '#changes-count');
    await page.sees('"StorageV2" → "BlobStorage"', '#changes');
    await picture('prediction');
    await page.write('#parameters', '{ "name": 3 }');
    await page.sees('parameters:1:11', '#prediction-problems');
    await page.write('#parameters', '{ "name": "Shop" }');
    await page.until('it is gone', () => document.querySelector('#prediction-problems').children.length === 0);
  }],
  ['a picture is drawn', async () => {
    await page.click('#tab-graph');
    await page.until('there is a picture', () => document.querySelector('#graph svg.tendon-graph'));
    await picture('graph');
  }],
  ['values are held against contracts of every language', async () => {
    await page.click('#tab-check');
    await page.sees('not valid', '#verdict');
    await page.sees('value:1:', '#violations');
    await page.write('#value', '{ "name": "shop", "sku": "Standard_LRS" }');
    await page.until('it is valid', () => document.querySelector('#verdict').innerText === 'valid');
    for (const [index, said] of [['1', 'count'], ['2', 'discount']]) {
      await page.run((it) => { const select = document.querySelector('#examples'); select.value = it; select.dispatchEvent(new Event('change')); }, index);
      await page.sees('not valid', '#verdict');
      await page.sees(said, '#violations');
    }
    await picture('check');
    await page.write('#contract', 'shop.thrift#Nothing');
    await page.sees('the contract cannot be used', '#verdict');
  }],
  ['a link holds everything, and no server sees it', async () => {
    await page.write('#value', '{ "id": "o-99" }');
    await page.run(() => new Promise((resolve) => setTimeout(resolve, 300)));
    await page.click('#share');
    await page.sees('the link is in', '#status');
    const link = await page.run(() => location.href);
    assert.ok(link.includes('#'), link);
    const before = page.requests.length;
    await page.open(`${link.replace('/#', '/?again#')}`);
    await ready('first');
    assert.equal(await value('#value'), '{ "id": "o-99" }');
    assert.match(await value('#source'), /struct Order/);
    assert.ok(page.requests.slice(before).every((it) => !new URL(it).search.includes('o-99')));
    await page.open('/?wrong#AAAA');
    await page.until('an example is shown', () => document.querySelector('#source').value.startsWith('@description'));
    await ready('types');
  }],
  ['files are added and removed', async () => {
    await page.write('#file-name', '../part');
    await page.press('Enter');
    await page.sees('a file is named as', '#status');
    await page.write('#file-name', 'part.bicep');
    await page.press('Enter');
    await page.write('#source', "param size int\n");
    await page.sees('no-unused-params', '#problems');
    await page.click('#remove');
    await page.until('it is gone', () => ![...document.querySelectorAll('#files button')].some((it) => it.textContent === 'part.bicep'));
    await page.sees('no problems', '#status');
  }],
  ['what nests without end does not end the page', async () => {
    await page.write('#source', `var a = ${'['.repeat(240)}${']'.repeat(240)}\n`);
    await page.sees('check-failed', '#problems');
    await page.write('#source', `var a = ${'['.repeat(110)}${']'.repeat(110)}\noutput o array = a\n`);
    await page.sees('no problems', '#status');
    await page.write('#source', 'output o int = 1\n');
    await page.sees('no problems', '#status');
  }],
  ['nothing is asked of a server once it is loaded', async () => {
    const before = page.requests.length;
    await page.write('#source', 'param b string\noutput o string = b\n');
    await page.sees('no problems', '#status');
    assert.deepEqual(page.requests.slice(before), []);
  }],
  ['everybody can use it: both themes, with the keyboard, on a phone', async () => {
    for (const tab of ['template', 'prediction', 'graph', 'check']) {
      await page.click(`#tab-${tab}`);
      for (const dark of [false, true]) {
        await page.dark(dark);
        await isAccessible(page, axe);
      }
      await page.dark(false);
      await isInPlace(page);
      await isReachable(page);
    }
    await page.size(360, 740);
    for (const tab of ['template', 'prediction', 'graph', 'check']) {
      await page.click(`#tab-${tab}`);
      await isInPlace(page);
      await isAccessible(page, axe);
    }
    await picture('phone');
    await page.size(1280, 900);
  }],
];

try {
  page = await browser.page(origin);
  for (const [name, story] of STORIES) {
    const start = Date.now();
    await story();
    isQuiet(page);
    console.log(`ok: ${name} (${Date.now() - start} ms)`);
  }
  end(0);
} catch (error) {
  const last = await page?.picture().catch(() => undefined);
  if (last) fs.writeFileSync(path.join(folder, 'failed.png'), last);
  end(1, `${error.stack ?? error}\nwhat was there is in ${folder}: failed.png`);
}
