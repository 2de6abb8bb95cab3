// Questions to the worker. One that does not answer in time, or stops in the middle, is replaced by a new one with the same files.
const LIMIT = 15_000;

export class Compiler {
    constructor(onRestart) {
        this.onRestart = onRestart;
        this.files = {};
        this.typesWanted = false;
        this.start();
    }

    start() {
        this.worker = new Worker('worker.js', { type: 'module' });
        this.waiting = new Map();
        this.next = 0;
        this.worker.onmessage = ({ data }) => this.answered(data);
        this.worker.onerror = (event) => {
            event.preventDefault();
            this.restart(event.message || 'the compiler cannot be loaded');
        };
    }

    ask(method, ...args) {
        return new Promise((resolve, reject) => {
            const id = ++this.next;
            const timer = setTimeout(() => this.restart('it took too long'), LIMIT);
            this.waiting.set(id, { resolve, reject, timer });
            this.worker.postMessage({ id, method, args });
        });
    }

    answered({ id, result, error, broken }) {
        const asked = this.waiting.get(id);
        if (!asked) return;
        this.waiting.delete(id);
        clearTimeout(asked.timer);
        if (error === undefined) asked.resolve(result);
        else asked.reject(new Error(error));
        if (broken) this.restart(error);
    }

    setFiles(files) {
        this.files = { ...files };
        return this.ask('setFiles', this.files);
    }

    async loadTypes() {
        await this.ask('loadTypes');
        this.typesWanted = true;
    }

    restart(why) {
        this.worker.terminate();
        const waiting = this.waiting;
        this.restarts = (this.restarts ?? 0) + 1;
        for (const { reject, timer } of waiting.values()) {
            clearTimeout(timer);
            reject(new Error(why));
        }
        if (this.restarts > 20) return this.onRestart(`${why}; reload the page`);
        this.start();
        this.ask('setFiles', this.files).catch(() => {});
        if (this.typesWanted) this.ask('loadTypes').catch(() => {});
        this.onRestart(why);
    }
}
