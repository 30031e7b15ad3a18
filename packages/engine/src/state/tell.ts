// Tells somebody that something has become visible. It stays so whatever they think of it: their mistake is that of the
// program, which hears of it as of any exception that nobody catches, and never of the commit or of those told after them.

export function tell<A extends readonly unknown[]>(callback: (...args: A) => void, ...args: A): void {
  try {
    callback(...args);
  } catch (error) {
    queueMicrotask(() => {
      throw error;
    });
  }
}
