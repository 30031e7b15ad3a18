// What the person at the terminal got wrong: a message without a stack, and exit code 2.

export class UsageError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'UsageError';
  }
}
