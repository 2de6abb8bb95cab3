// A browser without a screen, driven over a pipe with its own protocol.

import { spawn } from 'node:child_process';

const PATIENCE = 20_000; // milliseconds for anything to happen

export class Browser {
  #child;
  #next = 1;
  #waiting = new Map();
  #pages = new Map();
  #rest = '';

  constructor(folder) {
    this.#child = spawn(
      'chromium',
      ['--headless', '--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage', '--no-first-run', '--disable-extensions', '--disable-sync',
        '--disable-background-networking', '--disable-component-update', '--hide-scrollbars', `--user-data-dir=${folder}`, '--remote-debugging-pipe'],
      { stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'pipe'], detached: true },
    );
    this.#child.on('error', (error) => this.#fail(`cannot start chromium: ${error.message}`));
    this.#child.on('exit', () => this.#fail('the browser has ended'));
    this.#child.stdio[3].on('error', () => {});
    this.#child.stdio[4].setEncoding('utf8').on('data', (data) => this.#read(data));
  }

  #fail(message) {
    for (const { reject } of this.#waiting.values()) reject(new Error(message));
    this.#waiting.clear();
  }

  #read(data) {
    const parts = (this.#rest + data).split('\0');
    this.#rest = parts.pop();
    for (const part of parts) {
      const message = JSON.parse(part);
      if (message.id === undefined) {
        this.#pages.get(message.sessionId)?.see(message.method, message.params);
        continue;
      }
      const waiting = this.#waiting.get(message.id);
      this.#waiting.delete(message.id);
      if (message.error) waiting?.reject(new Error(`${waiting.method}: ${message.error.message}`));
      else waiting?.resolve(message.result);
    }
  }

  send(method, params = {}, sessionId = undefined) {
    const id = this.#next++;
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject, method });
      this.#child.stdio[3].write(`${JSON.stringify({ id, method, params, sessionId })}\0`);
    });
  }

  // A page with cookies of its own.
  async page(origin) {
    const { browserContextId } = await this.send('Target.createBrowserContext');
    const { targetId } = await this.send('Target.createTarget', { url: 'about:blank', browserContextId });
    const { sessionId } = await this.send('Target.attachToTarget', { targetId, flatten: true });
    const page = new Page(this, sessionId, origin);
    this.#pages.set(sessionId, page);
    for (const domain of ['Page', 'Runtime', 'Network', 'Log']) await page.send(`${domain}.enable`);
    // What the policy of a page refuses is an error of the page.
    await page.send('Page.addScriptToEvaluateOnNewDocument', {
      source: "document.addEventListener('securitypolicyviolation', (it) => console.error(`policy: ${it.violatedDirective} ${it.blockedURI}`));",
    });
    await page.size(1280, 900);
    return page;
  }

  end() {
    try {
      process.kill(-this.#child.pid, 'SIGKILL');
    } catch {
      // It has ended.
    }
  }
}

const KEYS = {
  Tab: ['Tab', 9],
  Enter: ['Enter', 13, '\r'],
  Escape: ['Escape', 27],
  Space: ['Space', 32, ' '],
};

export class Page {
  problems = [];
  requests = [];
  #browser;
  #session;
  #origin;
  #loaded = () => {};

  constructor(browser, session, origin) {
    this.#browser = browser;
    this.#session = session;
    this.#origin = origin;
  }

  send(method, params = {}) {
    return this.#browser.send(method, params, this.#session);
  }

  see(method, params) {
    if (method === 'Page.loadEventFired') this.#loaded();
    if (method === 'Runtime.exceptionThrown') this.problems.push(`a script failed: ${params.exceptionDetails.exception?.description ?? params.exceptionDetails.text}`);
    if (method === 'Runtime.consoleAPICalled' && ['error', 'warning', 'assert'].includes(params.type)) {
      this.problems.push(params.args.map((it) => it.value ?? it.description).join(' '));
    }
    if (method === 'Log.entryAdded' && params.entry.level === 'error') this.problems.push(`${params.entry.source}: ${params.entry.text} ${params.entry.url ?? ''}`);
    if (method === 'Network.requestWillBeSent') {
      const { url } = params.request;
      this.requests.push(url);
      const is_own = url.startsWith(`${this.#origin}/`) || url.startsWith('data:') || url.startsWith('about:');
      if (!is_own) this.problems.push(`a request to somebody else: ${url}`);
    }
  }

  // Problems that a test brings about itself, such as a server that is stopped.
  forget() {
    this.problems = [];
  }

  async #load(start) {
    const loaded = new Promise((resolve, reject) => {
      this.#loaded = resolve;
      setTimeout(() => reject(new Error('the page does not load')), PATIENCE).unref();
    });
    await start();
    await loaded;
  }

  async open(path) {
    await this.#load(async () => {
      const { errorText } = await this.send('Page.navigate', { url: path.includes(':') ? path : `${this.#origin}${path}` });
      if (errorText) throw new Error(`${path}: ${errorText}`);
    });
  }

  // Does something that leads to another page.
  async follow(action) {
    await this.#load(action);
  }

  async run(code, ...values) {
    const expression = typeof code === 'string' ? code : `(${code})(...${JSON.stringify(values)})`;
    const { result, exceptionDetails } = await this.send('Runtime.evaluate', { expression, awaitPromise: true, returnByValue: true });
    if (exceptionDetails) throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text);
    return result.value;
  }

  // Waits until code gives something, and gives it.
  async until(what, code, ...values) {
    const end = Date.now() + PATIENCE;
    for (;;) {
      const value = await this.run(code, ...values).catch(() => undefined);
      if (value) return value;
      if (Date.now() > end) throw new Error(`it does not happen that ${what}; the page says:\n${await this.text()}`);
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }

  text(selector = 'body') {
    return this.run((it) => document.querySelector(it)?.innerText ?? '', selector);
  }

  sees(text, selector = 'body') {
    return this.until(`${selector} has \`${text}\``, (at, it) => document.querySelector(at)?.innerText.includes(it), selector, text);
  }

  async click(selector) {
    const place = await this.until(`there is ${selector}`, (it) => {
      const found = document.querySelector(it);
      found?.scrollIntoView({ block: 'center', behavior: 'instant' });
      const box = found?.getBoundingClientRect();
      return box && box.width > 0 && { x: box.x + box.width / 2, y: box.y + box.height / 2 };
    }, selector);
    for (const type of ['mousePressed', 'mouseReleased']) {
      await this.send('Input.dispatchMouseEvent', { type, ...place, button: 'left', clickCount: 1 });
    }
  }

  async press(key, modifiers = 0) {
    const [code, number, text] = KEYS[key];
    const event = { key: key === 'Space' ? ' ' : key, code, windowsVirtualKeyCode: number, modifiers };
    await this.send('Input.dispatchKeyEvent', { type: text ? 'keyDown' : 'rawKeyDown', text, ...event });
    await this.send('Input.dispatchKeyEvent', { type: 'keyUp', ...event });
  }

  // Writes into a field, in place of what is there.
  async write(selector, text) {
    await this.run((it) => {
      const field = document.querySelector(it);
      field.focus();
      field.select();
    }, selector);
    await this.type(text);
  }

  type(text) {
    return this.send('Input.insertText', { text });
  }

  size(width, height) {
    return this.send('Emulation.setDeviceMetricsOverride', { width, height, deviceScaleFactor: 1, mobile: false });
  }

  dark(is_dark) {
    return this.send('Emulation.setEmulatedMedia', { features: [{ name: 'prefers-color-scheme', value: is_dark ? 'dark' : 'light' }] });
  }

  scripts(are_on) {
    return this.send('Emulation.setScriptExecutionDisabled', { value: !are_on });
  }

  async picture() {
    const { data } = await this.send('Page.captureScreenshot', { captureBeyondViewport: true });
    return Buffer.from(data, 'base64');
  }
}
