// The two streams: standard output is for programs, standard error for people.

/** A line for people. */
export function say(text: string): void {
  process.stderr.write(`tidemark: ${text}\n`);
}

/** For programs. Resolves when the stream can take more: what a slow reader has not taken is not piled up. */
export function print(text: string | Uint8Array): Promise<void> {
  if (process.stdout.write(text)) return Promise.resolve();
  return new Promise((resolve) => process.stdout.once('drain', resolve));
}

/** A reader that has seen enough (`| head`) closes the pipe: that is the end, not an error. */
export function endWithReader(): void {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit(0);
    throw error;
  });
  // What people cannot be told, because their disk is full or their terminal gone, must not end the work.
  process.stderr.on('error', () => {});
}

/** Aborts on the first SIGINT or SIGTERM; the second ends the process at once. */
export function stopSignal(): AbortSignal {
  const stop = new AbortController();
  const onSignal = (): void => {
    if (stop.signal.aborted) process.exit(1);
    stop.abort();
  };
  process.on('SIGINT', onSignal);
  process.on('SIGTERM', onSignal);
  return stop.signal;
}

/** What came from elsewhere, on one line and unable to steer the terminal. */
export function shown(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: exactly those are taken out.
  return text.replace(/[\u0000-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g, (letter) => {
    return `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`;
  });
}

/** One word of a command that is printed for a shell. */
export function quoted(text: string): string {
  return /^[\w./:=,-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}

/** Columns of equal width, two spaces apart. */
export function table(rows: readonly (readonly string[])[]): string {
  const widths: number[] = [];
  for (const row of rows) {
    for (const [column, cell] of row.entries()) widths[column] = Math.max(widths[column] ?? 0, cell.length);
  }
  const line = (row: readonly string[]): string =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd();
  return rows.map((row) => `${line(row)}\n`).join('');
}

export function count(n: number): string {
  return n.toLocaleString('en-US');
}

/** `1 document`, `2 documents`. */
export function counted(n: number, things: string): string {
  return `${count(n)} ${n === 1 ? things.replace(/s$/, '') : things}`;
}

const unitNames = ['bytes', 'KiB', 'MiB', 'GiB', 'TiB'] as const;

export function size(bytes: number): string {
  let value = bytes;
  let unit = 0;
  while (value >= 1024 && unit < unitNames.length - 1) {
    value /= 1024;
    unit += 1;
  }
  return `${unit === 0 ? value : value.toFixed(1)} ${unitNames[unit]}`;
}
