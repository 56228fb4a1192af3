declare module "dredd" {
  import type { EventEmitter } from "node:events";

  /** The part of Dredd's programmatic interface that is used here; Dredd has no types. */
  class Dredd {
    constructor(configuration: {
      endpoint: string;
      path: string[];
      hookfiles: string[];
      loglevel: "silent" | "error" | "warning" | "debug";
      reporter: string[];
      emitter: EventEmitter;
      color: boolean;
    });
    run(callback: (error: Error | null | undefined) => void): void;
  }
  export default Dredd;
}
