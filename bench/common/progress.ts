// One line that says what is going on, overwritten where that is possible.

export function showProgress(text: string): void {
  const { stderr } = process;
  if (stderr.isTTY) {
    stderr.clearLine(0);
    stderr.cursorTo(0);
    stderr.write(text);
  } else if (text !== '') stderr.write(`… ${text}\n`);
}
