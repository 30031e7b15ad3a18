// What the person at the terminal got wrong, as far as it is known without asking an account or a database: a message without a stack,
// and exit code 2. That something named is not there is an answer, a DatabaseError, and exit code 1.

export class UsageError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'UsageError';
  }
}

/** An endpoint beyond this machine without a key. Whether there is such a machine is to be asked first. */
export class KeyWantedError extends UsageError {
  readonly endpoint: string;

  constructor(message: string, endpoint: string) {
    super(message);
    this.endpoint = endpoint;
  }
}
