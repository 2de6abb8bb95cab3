// Starts a server and a browser, and does with its pages what people do.
//
// usage: node run.mjs TENDON FOLDER MODULES     FOLDER: gets the state and what is left of a failure; MODULES: the folder of packages

import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';

import { Browser } from './browser.mjs';
import { checker, isAccessible, isInPlace, isQuiet, isReachable } from './looks.mjs';
import { Server } from './server.mjs';
import { STORIES } from './stories.mjs';

const LIMIT = 300_000; // milliseconds, for everything

const [tendon, folder, modules] = process.argv.slice(2).map((each) => path.resolve(each));
const only = process.argv[5];
fs.mkdirSync(folder, { recursive: true });

const server = new Server(tendon, path.join(folder, 'server'));
const browser = new Browser(path.join(folder, 'profile'));
const axe = checker(modules);
let current;

const end = async (code, message) => {
  if (message) console.error(message);
  browser.end();
  await server.stop();
  process.exit(code);
};
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => end(1, `ended by ${signal}`));
setTimeout(() => end(1, 'it takes too long'), LIMIT).unref();

// Looks at a page as it is: in both themes, wide and narrow, and with the keyboard.
async function look(page) {
  for (const dark of [false, true]) {
    await page.dark(dark);
    await isAccessible(page, axe);
  }
  await page.dark(false);
  await isInPlace(page);
  await isReachable(page);
  await page.size(360, 740);
  await isInPlace(page);
  await isAccessible(page, axe);
  await page.size(1280, 900);
  isQuiet(page);
}

const run = (...words) => spawnSync(tendon, words, { encoding: 'utf8', cwd: folder });

try {
  const tools = { server, tendon, folder, browser, look, run, page: async (origin) => (current = await browser.page(origin ?? server.url)) };
  await server.start('token');
  for (const [name, story] of STORIES) {
    if (only && !name.includes(only)) continue;
    const start = Date.now();
    await story(tools);
    if (current) isQuiet(current);
    console.log(`ok: ${name} (${Date.now() - start} ms)`);
  }
  await end(0);
} catch (error) {
  if (current) {
    const picture = await current.picture().catch(() => undefined);
    if (picture) fs.writeFileSync(path.join(folder, 'failed.png'), picture);
    fs.writeFileSync(path.join(folder, 'failed.html'), (await current.run('document.documentElement.outerHTML').catch(() => '')) ?? '');
    console.error(`what was there is in ${folder}: failed.png, failed.html`);
  }
  await end(1, error.stack ?? String(error));
}
