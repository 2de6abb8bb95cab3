// The page: an editor over the files, and what the compiler says of them.
import { Compiler } from './compiler.js';
import { EXAMPLES } from './examples.js';
import { pack, unpack } from './link.js';
import { changes } from './changes.js';

const at = (id) => document.getElementById(id);
const source = at('source');
const painted = at('painted');
const QUIET = 150;
const FIELDS = ['parameters', 'mocks', 'scope', 'contract', 'value'];

let files = {};
let open = '';
let diagnostics = [];
let panel = 'template';
let deployed = null;
let lastPrediction = null;
let round = 0;
let timer;
let first = true;
let shown = { text: '', tokens: [], marks: [] };

const say = (text) => { at('status').textContent = text; };
const compiler = new Compiler((why) => say(`the compiler was started again: ${why}`));
const element = (name, text, className) => {
    const made = document.createElement(name);
    if (text !== undefined) made.textContent = text;
    if (className) made.className = className;
    return made;
};

// --- What is shown ---------------------------------------------------------------------------------------------------------------

function show(state) {
    files = { ...state.files };
    deployed = null;
    for (const name of FIELDS) at(name).value = state[name] ?? '';
    openFile(state.open);
}

function openFile(name) {
    open = name;
    source.value = files[name];
    source.scrollTop = 0;
    source.setSelectionRange(0, 0);
    closeLists();
    showFiles();
    paint([]);
    update();
}

function showFiles() {
    const tabs = Object.keys(files).map((name) => {
        const tab = element('button', name);
        tab.setAttribute('role', 'tab');
        tab.setAttribute('aria-selected', String(name === open));
        tab.addEventListener('click', () => openFile(name));
        return tab;
    });
    at('files').replaceChildren(...tabs);
    at('contracts').replaceChildren(...Object.keys(files).map((name) => {
        const option = element('option');
        option.value = name;
        return option;
    }));
}

const isBicep = (name) => /\.bicep(param)?$/.test(name);
const isTemplate = (name) => name.endsWith('.json') && files[name].includes('deploymentTemplate.json#');
const program = () => (isBicep(open) || isTemplate(open) ? open : Object.keys(files).find(isBicep));

/// Colours and underlines as the compiler has just told them.
function paint(tokens) {
    const marks = diagnostics.filter((it) => it.place?.file === open).map(({ place, severity }) => ({
        start: place.start, end: Math.max(place.end, place.start + 1), kind: `${severity}-mark`,
    }));
    shown = { text: source.value, tokens, marks };
    draw();
}

/// What was told of the text before an edit, moved to where it is now: what is typed is seen at once.
function carry() {
    const text = source.value;
    const before = shown.text;
    let start = 0;
    while (start < text.length && start < before.length && text[start] === before[start]) start += 1;
    let same = 0;
    const most = Math.min(text.length, before.length) - start;
    while (same < most && text[text.length - 1 - same] === before[before.length - 1 - same]) same += 1;
    const [end, by] = [before.length - same, text.length - before.length];
    const moved = (parts) => parts
        .map((it) => ({ ...it, start: it.start >= end ? it.start + by : Math.min(it.start, start), end: it.end >= end ? it.end + by : Math.min(it.end, start) }))
        .filter((it) => it.end > it.start);
    shown = { text, tokens: moved(shown.tokens), marks: moved(shown.marks) };
    draw();
}

/// The text once more, below the one that is written in.
function draw() {
    const { text, tokens, marks } = shown;
    const cuts = new Set([0, text.length]);
    for (const { start, end } of [...tokens, ...marks]) {
        cuts.add(Math.min(start, text.length));
        cuts.add(Math.min(end, text.length));
    }
    const sorted = [...cuts].sort((one, other) => one - other);
    const nodes = [];
    let token = 0;
    for (let index = 0; index + 1 < sorted.length; index += 1) {
        const [start, end] = [sorted[index], sorted[index + 1]];
        while (token < tokens.length && tokens[token].end <= start) token += 1;
        const classes = marks.filter((mark) => mark.start < end && mark.end > start).map((mark) => mark.kind);
        if (token < tokens.length && tokens[token].start <= start) classes.push(tokens[token].kind);
        const part = text.slice(start, end);
        nodes.push(classes.length > 0 ? element('span', part, classes.join(' ')) : document.createTextNode(part));
    }
    painted.replaceChildren(...nodes, document.createTextNode('\n'));
    follow();
}

function follow() {
    painted.scrollTop = source.scrollTop;
    painted.scrollLeft = source.scrollLeft;
}

function problem(found, withFixes) {
    const line = element('li');
    const { place } = found;
    const where = place ? `${place.file}:${place.line}:${place.column} ` : '';
    const jump = element('button', `${where}${found.severity}: ${found.pointer ? `${found.pointer} ` : ''}${found.message} (${found.code})${found.hint ? `; ${found.hint}` : ''}`, `jump severity-${found.severity}`);
    jump.type = 'button';
    const target = place && place.file in files ? place : found.rule && found.rule.file in files ? found.rule : null;
    if (target) jump.addEventListener('click', () => select(target));
    else jump.disabled = !place;
    line.append(jump);
    const [fix] = withFixes ? found.fixes ?? [] : [];
    if (fix && fix.replacements.every((it) => it.place.file === open)) {
        const mend = element('button', fix.title);
        mend.type = 'button';
        mend.addEventListener('click', () => replaceAll(fix.replacements));
        line.append(mend);
    }
    return line;
}

function select(place) {
    if (place.file !== open) openFile(place.file);
    source.focus();
    source.setSelectionRange(place.start, place.end);
    source.scrollTop = Math.max(0, (place.line - 5) * 20);
    follow();
}

function replaceAll(replacements) {
    let text = source.value;
    for (const { place, text: instead } of [...replacements].sort((one, other) => other.place.start - one.place.start)) {
        text = text.slice(0, place.start) + instead + text.slice(place.end);
    }
    const cursor = Math.min(source.selectionStart, text.length);
    write(text, cursor);
}

function write(text, cursor) {
    source.value = text;
    source.setSelectionRange(cursor, cursor);
    edited();
}

// --- What the compiler says ------------------------------------------------------------------------------------------------------

function edited() {
    files[open] = source.value;
    carry();
    closeLists();
    clearTimeout(timer);
    timer = setTimeout(update, QUIET);
}

const inputs = () => {
    const given = {};
    for (const name of ['parameters', 'mocks', 'scope']) if (at(name).value.trim()) given[name] = at(name).value;
    return given;
};

async function update() {
    clearTimeout(timer);
    const mine = ++round;
    const isNewer = () => mine !== round;
    try {
        await compiler.setFiles(files);
        const name = open;
        const ask = isBicep(name) ? 'compile' : name.endsWith('.thrift') ? 'lint' : isTemplate(name) ? null : 'contractFindings';
        const made = ask ? await compiler.ask(ask, name) : { template: files[name], diagnostics: [] };
        const tokens = isBicep(name) ? await compiler.ask('tokens', name) : [];
        if (isNewer()) return;
        diagnostics = made.diagnostics;
        paint(tokens);
        at('problems').replaceChildren(...diagnostics.map((it) => problem(it, true)));
        const count = diagnostics.length;
        say(count === 0 ? 'no problems' : count === 1 ? '1 problem' : `${count} problems`);
        at('template').textContent = made.template ?? '';
        await showPanel(isNewer);
        if (first) {
            first = false;
            performance.mark('first-result');
            document.body.dataset.ready = 'first';
            loadTypes();
        }
    } catch (error) {
        if (!isNewer()) say(error.message);
    }
}

async function loadTypes() {
    try {
        await compiler.loadTypes();
        document.body.dataset.ready = 'types';
        await update();
    } catch (error) {
        say(`without the types of resources: ${error.message}`);
    }
}

async function showPanel(isNewer) {
    if (panel === 'check') return showCheck(isNewer);
    const name = program();
    if (panel === 'template' || !name) return undefined;
    if (panel === 'graph') {
        const { text, diagnostics: found } = await compiler.ask('picture', name, 'svg', inputs());
        if (isNewer()) return undefined;
        if (!text) return at('graph').replaceChildren(...found.map((it) => element('p', it.message)));
        // Its style is that of the page: the policy refuses what is inline.
        const plain = text.replace(/<style>[^<]*<\/style>/, '');
        const picture = new DOMParser().parseFromString(plain, 'image/svg+xml').documentElement;
        return at('graph').replaceChildren(document.adoptNode(picture));
    }
    const { text, diagnostics: found } = await compiler.ask('snapshot', name, inputs());
    if (isNewer()) return undefined;
    at('prediction-problems').replaceChildren(...found.map((it) => problem(it, false)));
    at('prediction').textContent = text ?? '';
    lastPrediction = text ? JSON.parse(text) : null;
    return showChanges();
}

function showChanges() {
    if (!lastPrediction) {
        at('changes').replaceChildren();
        at('changes-count').textContent = '';
        return;
    }
    const all = changes(deployed, lastPrediction);
    const count = (kind) => all.filter((it) => it.kind === kind).length;
    at('changes-count').textContent = `${count('create')} to create, ${count('modify')} to change, ${count('delete')} to delete, ${count('same')} unchanged`;
    const sign = { create: '+', modify: '~', delete: '-', same: '=' };
    at('changes').replaceChildren(...all.map((it) => element('li', [`${sign[it.kind]} ${it.id}`, ...it.lines.map((line) => `    ${line}`)].join('\n'), it.kind)));
}

async function showCheck(isNewer) {
    const reference = at('contract').value.trim();
    if (!reference) {
        at('verdict').textContent = 'name a contract';
        return at('violations').replaceChildren();
    }
    const result = await compiler.ask('check', reference, at('value').value);
    if (isNewer()) return undefined;
    at('verdict').textContent = result.valid === null ? 'the contract cannot be used' : result.valid ? 'valid' : 'not valid';
    return at('violations').replaceChildren(...result.diagnostics.map((found) => problem(found, false)));
}

// --- Completion and explanations ----------------------------------------------------------------------------------------------------

let offered = [];
let chosen = 0;

function closeLists() {
    at('completions').hidden = true;
    at('hover').hidden = true;
    source.removeAttribute('aria-activedescendant');
    offered = [];
}

const position = (offset) => {
    const before = source.value.slice(0, offset);
    return { line: before.split('\n').length, column: offset - (before.lastIndexOf('\n') + 1) + 1 };
};

/// Where a line and column are in the editor, in pixels from its corner.
function corner({ line, column }) {
    const probe = element('span', 'm'.repeat(50));
    painted.append(probe);
    const width = probe.getBoundingClientRect().width / 50;
    probe.remove();
    return { left: 10 + (column - 1) * width - source.scrollLeft, top: 10 + line * 20 - source.scrollTop, width };
}

function place(box, where) {
    box.hidden = false;
    const editor = at('editor').getBoundingClientRect();
    box.style.left = `${Math.max(0, Math.min(where.left, editor.width - box.offsetWidth - 4))}px`;
    const below = where.top + box.offsetHeight < editor.height;
    box.style.top = `${Math.max(0, below ? where.top : where.top - 22 - box.offsetHeight)}px`;
}

async function complete() {
    if (!isBicep(open)) return;
    const offset = source.selectionStart;
    const where = position(offset);
    await compiler.setFiles(files);
    const items = await compiler.ask('complete', open, where.line, where.column);
    if (source.selectionStart !== offset) return;
    offered = items.filter((item) => {
        const typed = source.value.slice(item.edit.place.start, offset).toLowerCase();
        return (item.filterText ?? item.label).toLowerCase().includes(typed);
    }).slice(0, 60);
    if (offered.length === 0) return closeLists();
    const list = at('completions');
    list.replaceChildren(...offered.map((item, index) => {
        const line = element('li', item.label);
        line.id = `completion-${index}`;
        line.setAttribute('role', 'option');
        if (item.detail) line.append(element('small', item.detail));
        line.addEventListener('pointerdown', (event) => {
            event.preventDefault();
            accept(index);
        });
        return line;
    }));
    choose(0);
    place(list, corner(where));
}

function choose(index) {
    chosen = (index + offered.length) % offered.length;
    [...at('completions').children].forEach((line, number) => line.setAttribute('aria-selected', String(number === chosen)));
    at('completions').children[chosen].scrollIntoView({ block: 'nearest' });
    source.setAttribute('aria-activedescendant', `completion-${chosen}`);
}

function accept(index) {
    const item = offered[index];
    const edits = [item.edit, ...(item.additionalEdits ?? [])];
    const { start } = item.edit.place;
    const end = Math.max(item.edit.place.end, source.selectionStart);
    let text = source.value.slice(0, start) + item.edit.text + source.value.slice(end);
    let cursor = start + item.edit.text.length;
    for (const { place: other, text: instead } of edits.slice(1)) {
        text = text.slice(0, other.start) + instead + text.slice(other.end);
        if (other.start <= start) cursor += instead.length - (other.end - other.start);
    }
    closeLists();
    write(text, cursor);
}

async function explain(where) {
    if (!isBicep(open)) return;
    const found = await compiler.ask('hover', open, where.line, where.column);
    const here = diagnostics.find(({ place: it }) => it?.file === open && it.line === where.line && it.column <= where.column && where.column <= it.endColumn);
    if (!found && !here) return closeLists();
    const box = at('hover');
    box.replaceChildren();
    if (here) box.append(element('p', here.message, `severity-${here.severity}`));
    // Markdown as plain text, but for blocks of code.
    for (const [index, part] of (found?.markdown ?? '').split('```').entries()) {
        const text = index % 2 === 1 ? part.replace(/^\w+\n/, '').trimEnd() : part.trim().replaceAll(/\\([^\w\s])/g, '$1');
        if (text) box.append(element(index % 2 === 1 ? 'code' : 'span', text));
    }
    place(box, corner(found ? found.place : where));
}

function keys(event) {
    const listIsOpen = !at('completions').hidden;
    const is = (key, { ctrl = false, alt = false, shift = false } = {}) =>
        event.key.toLowerCase() === key && (event.ctrlKey || event.metaKey) === ctrl && event.altKey === alt && event.shiftKey === shift;
    const does = (action) => {
        event.preventDefault();
        Promise.resolve(action()).catch((error) => say(error.message));
    };
    if (listIsOpen && is('arrowdown')) return does(() => choose(chosen + 1));
    if (listIsOpen && is('arrowup')) return does(() => choose(chosen - 1));
    if (listIsOpen && (is('enter') || is('tab'))) return does(() => accept(chosen));
    if (is('escape') && (listIsOpen || !at('hover').hidden)) return does(closeLists);
    if (is(' ', { ctrl: true })) return does(complete);
    if (is('h', { alt: true })) return does(() => explain(position(source.selectionStart)));
    if (is('f8')) return does(nextProblem);
    if (is('enter')) {
        return does(() => {
            const before = source.value.slice(0, source.selectionStart);
            const line = before.slice(before.lastIndexOf('\n') + 1);
            const indent = line.match(/^ */)[0] + (/[{[(]\s*$/.test(line) ? '  ' : '');
            write(`${before}\n${indent}${source.value.slice(source.selectionEnd)}`, before.length + 1 + indent.length);
        });
    }
    return undefined;
}

function nextProblem() {
    const own = diagnostics.filter((it) => it.place?.file === open).map((it) => it.place).sort((one, other) => one.start - other.start);
    const next = own.find((it) => it.start > source.selectionStart) ?? own[0];
    if (next) select(next);
}

async function format() {
    await compiler.setFiles(files);
    const { text, diagnostics: found } = await compiler.ask('format', open);
    if (text === null) say(`not formatted: ${found[0]?.message}`);
    else if (text !== source.value) write(text, Math.min(source.selectionStart, text.length));
}

async function share() {
    const state = { files, open };
    for (const name of FIELDS) state[name] = at(name).value;
    const hash = await pack(state);
    history.replaceState(null, '', `#${hash}`);
    try {
        await navigator.clipboard.writeText(location.href);
        say('the link is in the clipboard');
    } catch {
        say('the link is in the address bar');
    }
}

// --- Wiring ------------------------------------------------------------------------------------------------------------------------

const safely = (action) => () => Promise.resolve(action()).catch((error) => say(error.message));

/// Arrows move between tabs, as the tabulator key does.
function tabs(list, activate) {
    list.addEventListener('keydown', (event) => {
        const all = [...list.querySelectorAll('[role="tab"]')];
        const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
        const index = all.indexOf(document.activeElement);
        if (!step || index < 0) return;
        event.preventDefault();
        const next = (index + step + all.length) % all.length;
        activate(all[next]);
        list.querySelectorAll('[role="tab"]')[next].focus();
    });
}

function openPanel(tab) {
    panel = tab.id.replace('tab-', '');
    for (const other of tab.parentElement.children) {
        const isIt = other === tab;
        other.setAttribute('aria-selected', String(isIt));
        at(other.getAttribute('aria-controls')).hidden = !isIt;
    }
    update();
}

source.addEventListener('input', edited);
source.addEventListener('scroll', follow);
source.addEventListener('keydown', keys);
source.addEventListener('blur', closeLists);
let hoverTimer;
source.addEventListener('pointermove', (event) => {
    clearTimeout(hoverTimer);
    if (event.pointerType !== 'mouse' || event.buttons !== 0) return;
    hoverTimer = setTimeout(() => {
        const editor = source.getBoundingClientRect();
        const { width } = corner({ line: 1, column: 1 });
        const line = Math.floor((event.clientY - editor.top + source.scrollTop - 10) / 20) + 1;
        const column = Math.floor((event.clientX - editor.left + source.scrollLeft - 10) / width) + 1;
        if (line > 0 && column > 0 && at('completions').hidden) explain({ line, column }).catch(() => {});
    }, 400);
});
source.addEventListener('pointerleave', () => clearTimeout(hoverTimer));
document.addEventListener('keydown', (event) => {
    if (event.shiftKey && event.altKey && event.code === 'KeyF') {
        event.preventDefault();
        safely(format)();
    }
});
at('format').addEventListener('click', safely(format));
at('share').addEventListener('click', safely(share));
at('another').addEventListener('submit', (event) => {
    event.preventDefault();
    const name = at('file-name').value.trim();
    if (!/^[\w.-]+(\/[\w.-]+)*\.(bicep|bicepparam|json|yaml|yml|thrift|txt)$/.test(name)) {
        return say('a file is named as `part.bicep`, `order.json` or `shop.thrift`');
    }
    files[name] ??= '';
    at('file-name').value = '';
    return openFile(name);
});
at('remove').addEventListener('click', () => {
    if (Object.keys(files).length === 1) return say('the last file stays');
    delete files[open];
    return openFile(Object.keys(files)[0]);
});
at('keep').addEventListener('click', () => {
    deployed = lastPrediction;
    showChanges();
});
for (const name of FIELDS) at(name).addEventListener('input', () => { clearTimeout(timer); timer = setTimeout(update, QUIET); });
for (const tab of document.querySelectorAll('[role="tab"][aria-controls]')) tab.addEventListener('click', () => openPanel(tab));
tabs(document.querySelector('[aria-label="Results"][role="tablist"]'), openPanel);
tabs(at('files'), (tab) => openFile(tab.textContent));
at('examples').replaceChildren(...EXAMPLES.map(({ name }, index) => {
    const option = element('option', name);
    option.value = String(index);
    return option;
}));
at('examples').addEventListener('change', () => show(EXAMPLES[Number(at('examples').value)]));

async function begin() {
    const shared = location.hash.slice(1);
    if (!shared) return show(EXAMPLES[0]);
    try {
        return show(await unpack(shared));
    } catch {
        show(EXAMPLES[0]);
        return say('the link cannot be read; this is an example');
    }
}
window.addEventListener('hashchange', begin);
begin();
