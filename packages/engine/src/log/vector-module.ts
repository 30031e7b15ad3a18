// Modules of WebAssembly, for what vector instructions do many times faster than JavaScript.

import { Buffer } from 'node:buffer';

/** What is needed of it; the types of Node do not have it. */
declare const WebAssembly:
  | {
      readonly Module: new (bytes: Uint8Array) => object;
      readonly Instance: new (module: object, imports: object) => { exports: unknown };
    }
  | undefined;

/**
 * What the module exports; undefined where there is no WebAssembly (`--jitless`) or no SIMD, or where V8 may not have the ten gigabytes of
 * addresses (`ulimit -v`) that it sets aside for any memory of a module.
 */
export function vectorModule<Exports>(text: string, imports: object = {}): Exports | undefined {
  if (typeof WebAssembly === 'undefined') return undefined;
  try {
    const module = new WebAssembly.Module(Buffer.from(text, 'base64'));
    // What its .wat says that it exports.
    return new WebAssembly.Instance(module, imports).exports as Exports;
  } catch {
    return undefined;
  }
}
