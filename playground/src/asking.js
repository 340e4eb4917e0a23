// Two workers: one for what is shown at every key stroke, one for what may take long. A newer question takes the place of
// an older one that waits; one that runs is stopped by ending its worker, and a new one is started.

export class Asker {
  constructor(told, patience = 1500) {
    this.patience = patience;
    this.told = told; // (state) => void: "starts", "ready", "busy", "stopped", or what it died of
    this.next = 0;
    this.waiting = null;
    this.running = null;
    this.start();
  }
  start() {
    this.ready = false;
    this.told("starts");
    this.worker = new Worker("worker.js", { type: "module" });
    this.worker.onmessage = ({ data }) => this.heard(data);
    this.worker.onerror = event => { event.preventDefault(); this.heard({ died: event.message || "the worker did not start" }); };
  }
  heard({ id, answer, ready, died }) {
    if (ready) {
      this.ready = true;
      if (this.running) { this.running.since = Date.now(); if (this.waiting) this.hurry(); }
      this.told(this.running ? "busy" : "ready");
      return;
    }
    const asked = this.running;
    if (died !== undefined && (id === undefined || asked)) {
      this.running = null;
      if (asked) asked.failed(new Error(died));
      this.told(`died: ${died}`);
      if (this.ready) { this.worker.terminate(); this.start(); this.go(); }
      return;
    }
    if (!asked || asked.id !== id) return;
    this.running = null;
    this.told("ready");
    asked.done(answer);
    this.go();
  }
  // The answer to a question; null for one that was given up for a newer one, or stopped. One that has run for `patience`
  // milliseconds when a newer one comes is stopped; time in which Python starts does not count.
  ask(question) {
    return new Promise((done, failed) => {
      const asked = { id: ++this.next, question, done, failed };
      if (this.waiting) this.waiting.done(null);
      this.waiting = asked;
      if (this.running && this.ready) this.hurry();
      this.go();
    });
  }
  hurry() {
    const late = Math.max(0, this.running.since + this.patience - Date.now()), old = this.running;
    setTimeout(() => { if (this.running === old && this.waiting) this.stop(); }, late);
  }
  go() {
    if (this.running || !this.waiting) return;
    this.running = this.waiting;
    this.waiting = null;
    this.running.since = Date.now();
    if (this.ready) this.told("busy");
    this.worker.postMessage({ id: this.running.id, question: this.running.question });
  }
  // Gives up what runs and what waits.
  halt() {
    if (this.waiting) this.waiting.done(null);
    this.waiting = null;
    this.stop();
  }
  stop() {
    const asked = this.running;
    this.running = null;
    if (asked) { asked.done(null); this.worker.terminate(); this.start(); }
    this.go();
  }
}
