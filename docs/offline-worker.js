/* A page that was opened from disk may start no worker. There a frame does a worker's job: the search's index is
   made in it. On a server browsers' own workers are used. */
if (location.protocol === "file:") {
  window.Worker = class FrameWorker extends EventTarget {
    constructor(url) {
      super();
      this.waiting = [];
      this.onmessage = null;
      this.frame = document.createElement("iframe");
      this.frame.hidden = true;
      this.frame.title = "search";
      document.body.append(this.frame);
      const inside = this.frame.contentWindow;
      const base = new URL(url, location.href);
      const load = (address) =>
        new Promise((resolve, reject) => {
          const script = inside.document.createElement("script");
          script.src = new URL(address, base).href;
          script.onload = resolve;
          script.onerror = () => reject(new Error(`cannot load ${script.src}`));
          inside.document.body.append(script);
        });
      inside.postMessage = (data) => {
        const event = new MessageEvent("message", { data });
        this.dispatchEvent(event);
        if (this.onmessage) this.onmessage(event);
      };
      inside.importScripts = (...addresses) =>
        addresses.reduce((before, address) => before.then(() => load(address)), Promise.resolve());
      load(base.href).then(() => {
        const waiting = this.waiting;
        this.waiting = null;
        waiting.forEach((data) => this.postMessage(data));
      });
    }
    postMessage(data) {
      if (this.waiting) this.waiting.push(data);
      else this.frame.contentWindow.dispatchEvent(new MessageEvent("message", { data }));
    }
    terminate() {
      this.frame.remove();
    }
  };
}
