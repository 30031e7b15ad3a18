// Refuses a Node that is too old. It is loaded before anything else and written for Nodes of any age: whatever is newer would
// end in a syntax error that nobody understands.

'use strict';

const needed = [20, 19];
const present = process.versions.node.split('.').map(Number);

if (present[0] < needed[0] || (present[0] === needed[0] && present[1] < needed[1])) {
  process.stderr.write(
    'tidemark: Node ' +
      needed.join('.') +
      ' or newer is needed, and this is Node ' +
      process.versions.node +
      '. Get one at https://nodejs.org, or with a version manager: nvm install 22\n',
  );
  process.exit(1);
}
