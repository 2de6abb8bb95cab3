// The compiler, beside the page: it has the files, and answers one question after the other.
import init, { Project } from './tendon.js';

let project;
const started = start();

async function start() {
    await init({ module_or_path: new URL('tendon_bg.wasm', import.meta.url) });
    project = new Project();
    const now = new Date();
    project.setDay(now.getUTCFullYear(), now.getUTCMonth() + 1, now.getUTCDate());
}

// Resource types come after the first answer; the browser keeps them.
async function loadTypes() {
    const response = await fetch('types.pack.lzma');
    if (!response.ok) throw new Error(`the types of resources cannot be loaded: ${response.status}`);
    project.useTypes(new Uint8Array(await response.arrayBuffer()));
    return true;
}

const answers = {
    setFiles(files) {
        for (const name of project.fileNames()) if (!(name in files)) project.removeFile(name);
        for (const [name, text] of Object.entries(files)) project.setFile(name, text);
        return true;
    },
    loadTypes,
    lint: (name) => ({ template: null, diagnostics: project.lintThrift(name) }),
    contractFindings: (name) => ({ template: null, diagnostics: project.contractFindings(name) }),
    compile: (name) => project.compile(name),
    tokens: (name) => project.tokens(name),
    format: (name) => project.format(name),
    hover: (name, line, column) => project.hover(name, line, column),
    complete: (name, line, column) => project.complete(name, line, column).slice(0, 300),
    snapshot: (name, inputs) => project.snapshot(name, inputs),
    picture: (name, form, inputs) => project.picture(name, form, inputs),
    check(reference, text) {
        const wrong = project.contractFindings(reference);
        if (wrong.length > 0) return { valid: null, diagnostics: wrong };
        const contract = project.contract(reference);
        try {
            return contract.check('value', text);
        } finally {
            contract.free();
        }
    },
};

self.onmessage = async ({ data: { id, method, args } }) => {
    try {
        await started;
        if (!Object.hasOwn(answers, method)) throw new Error(`there is no question \`${method}\``);
        self.postMessage({ id, result: await answers[method](...args) });
    } catch (error) {
        // What stopped in the middle cannot be asked again; the page starts another one.
        const broken = error instanceof WebAssembly.RuntimeError || error instanceof RangeError;
        self.postMessage({ id, error: String(error?.message ?? error), broken });
    }
};
