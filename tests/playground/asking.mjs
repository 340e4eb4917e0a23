// Questions to a worker that is not there: node asking.mjs; what became of each, as JSON.
import { Asker } from "../../playground/src/asking.js";

const workers = [];
globalThis.Worker = class {
  constructor() { this.heard = []; this.ended = false; workers.push(this); }
  postMessage(message) { this.heard.push(message.question); this.last = message.id; }
  terminate() { this.ended = true; }
  ready() { this.onmessage({ data: { ready: true } }); }
  answer(answer) { this.onmessage({ data: { id: this.last, answer } }); }
};
const later = milliseconds => new Promise(done => setTimeout(done, milliseconds));

// One that runs when Python is there at last is stopped for a newer one, as any other is.
const early = new Asker(() => {}, 20), first = early.ask("long"), second = early.ask("newer");
workers[0].ready();
await later(60);
workers[1].ready();
workers[1].answer("answered");
const started = [await first, await second, workers[0].ended, workers[1].heard];

// What waits when all is stopped is not begun: nobody hears its answer.
const other = new Asker(() => {}, 10000);
workers[2].ready();
const running = other.ask("endless"), waiting = other.ask("endless, too");
other.halt();
console.log(JSON.stringify({ started, halted: [await running, await waiting, workers[2].ended, workers[3].heard] }));
