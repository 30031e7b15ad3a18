// Opens many connections, asks once on each, and keeps them open until its input ends or they are closed. Says how many it
// has, and in the end how many were closed from the other side.

import { connect } from 'node:net';

const [port, count] = process.argv.slice(2).map(Number);
const atOnce = 100;
let closed = 0;

function open() {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => socket.write('GET / HTTP/1.1\r\nhost: localhost\r\n\r\n'));
    socket.once('data', () => resolve());
    socket.on('error', reject);
    socket.once('close', () => {
      closed += 1;
      if (closed === count) process.stdout.write(`closed ${closed}\n`, () => process.exit());
    });
  });
}

for (let opened = 0; opened < count; opened += atOnce) await Promise.all(Array.from({ length: atOnce }, open));
process.stdout.write(`open ${count}\n`);
process.stdin.on('end', () => process.exit()).resume();
