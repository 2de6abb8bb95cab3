// Starts VS Code as a server and a browser that opens it, and shows what the probe in it finds.
//
// usage: node run.mjs CODE_SERVER TENDON EXTENSION.vsix FOLDER     CODE_SERVER: the folder of that package; FOLDER: holds `storefront`, and gets the rest

import { spawn, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const LIMIT = 300_000; // milliseconds, for everything

const [codeServer, tendon, extension, folder] = process.argv.slice(2).map((each) => path.resolve(each));
const here = path.dirname(fileURLToPath(import.meta.url));
const at = (...names) => path.join(folder, ...names);
const entry = path.join(codeServer, 'out/node/entry.js');
const result = at('result.txt');

const settings = { 'tendon.path': tendon, 'editor.wordBasedSuggestions': 'off', 'files.autoSave': 'off' };
fs.mkdirSync(at('user', 'User'), { recursive: true });
fs.writeFileSync(at('user', 'User', 'settings.json'), JSON.stringify(settings));
fs.writeFileSync(result, '');
const folders = ['--user-data-dir', at('user'), '--extensions-dir', at('extensions'), '--config', at('config.yaml')];
fs.writeFileSync(at('config.yaml'), '');
const environment = { ...process.env, TENDON_PROBE: result, XDG_DATA_HOME: at('data'), XDG_CONFIG_HOME: at('config') };
const node = (...words) => [process.execPath, [entry, ...folders, ...words], { env: environment }];

const installed = spawnSync(...node('--install-extension', extension));
if (installed.status !== 0) {
  console.error(`the extension is not installed\n${installed.stdout}${installed.stderr}`);
  process.exit(1);
}
fs.cpSync(path.join(here, 'probe'), at('extensions', 'tendon.probe-0.1.0'), { recursive: true });
// The list of extensions is made anew with the probe in it.
fs.rmSync(at('extensions', 'extensions.json'), { force: true });

// Each in a group of its own, so that what it starts ends with it.
const running = [];
const start = (command, words, options) => {
  const child = spawn(command, words, { ...options, detached: true });
  child.on('error', (error) => finish(1, `cannot start ${command}: ${error.message}`));
  running.push(child);
  return child;
};
let shown = 0;
let log = '';
function finish(code, message) {
  show();
  if (message) {
    console.error(`${message}\n${log.slice(-4000)}`);
  }
  for (const child of running.filter((each) => each.pid)) {
    try {
      process.kill(-child.pid, 'SIGKILL');
    } catch {
      // It has ended.
    }
  }
  process.exit(code);
}
function show() {
  const text = fs.readFileSync(result, 'utf8');
  process.stdout.write(text.slice(shown));
  shown = text.length;
  return text;
}
for (const signal of ['SIGINT', 'SIGTERM']) {
  process.on(signal, () => finish(1, `ended by ${signal}`));
}

const server = start(...node('--auth', 'none', '--bind-addr', '127.0.0.1:0', '--disable-telemetry', '--disable-update-check',
  '--disable-workspace-trust', at('storefront')));
let browser;
const see = (data) => {
  log += data;
  const address = /HTTP server listening on (http:\S+)/.exec(log)?.[1];
  if (address && !browser) {
    const page = `${address.replace(/\/$/, '')}/?folder=${encodeURIComponent(at('storefront'))}`;
    browser = start('chromium', ['--headless', '--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage', `--user-data-dir=${at('browser')}`,
      '--remote-debugging-port=0', page], { stdio: 'ignore' });
  }
};
server.stdout.on('data', see);
server.stderr.on('data', see);
server.on('exit', () => finish(1, 'VS Code has ended'));

setTimeout(() => finish(1, 'it takes too long'), LIMIT);
setInterval(() => {
  const end = /^end: (\w+)$/m.exec(show())?.[1];
  if (end) {
    finish(end === 'ok' ? 0 : 1);
  }
}, 200);
