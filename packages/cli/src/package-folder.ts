// Where this package stands: one above its sources, one above what they are built into, and one above the file that holds it all.

export const packageFolder: URL = new URL('../', import.meta.url);
