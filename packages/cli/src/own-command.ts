// What a person types to run this program once more: hints that cannot be typed are none.

type Environment = Readonly<Record<string, string | undefined>>;

/** What npm has started, with `npx`, `npm start` or from a script, has its commands in node_modules, where a shell does not look. */
export function ownCommand(environment: Environment): string {
  return environment['npm_command'] === undefined ? 'tidemark' : 'npx tidemark';
}
