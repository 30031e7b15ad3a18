// Stack traces that name the sources of the one file. Node would do so by itself, but reads the whole map at every start, which takes a
// tenth of it; here it is read when somebody looks at a trace.

'use strict';

const { readFileSync } = require('node:fs');
const { SourceMap } = require('node:module');
const { dirname, resolve } = require('node:path');

function nameSources(bundlePath) {
  let map;
  Error.prepareStackTrace = (error, frames) => {
    try {
      if (map === undefined) map = new SourceMap(JSON.parse(readFileSync(`${bundlePath}.map`, 'utf8')));
      return [Error.prototype.toString.call(error), ...frames.map((frame) => sourceOf(frame, bundlePath, map))].join(
        '\n    at ',
      );
    } catch {
      return [Error.prototype.toString.call(error), ...frames].join('\n    at ');
    }
  };
}

function sourceOf(frame, bundlePath, map) {
  const line = frame.getLineNumber();
  const column = frame.getColumnNumber();
  if (frame.getFileName() !== bundlePath || line === null || column === null) return String(frame);
  const { originalSource, originalLine, originalColumn } = map.findEntry(line - 1, column - 1);
  if (originalSource === undefined) return String(frame);
  const source = resolve(dirname(bundlePath), originalSource);
  return String(frame).replace(
    `${bundlePath}:${line}:${column}`,
    () => `${source}:${originalLine + 1}:${originalColumn + 1}`,
  );
}

module.exports = { nameSources };
