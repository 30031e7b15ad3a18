// Loaded into a server before anything else: its clock of the wall is off by what CLOCK_SHIFTS_MS says, one step further with each
// SIGUSR2. The monotonic clock is left alone, as a system does when somebody sets the time.

const shiftsMs = process.env.CLOCK_SHIFTS_MS.split(',').map(Number);
const RealDate = Date;
let shiftMs = 0;

globalThis.Date = class extends RealDate {
  constructor(...given) {
    if (given.length === 0) super(RealDate.now() + shiftMs);
    else super(...given);
  }

  static now() {
    return RealDate.now() + shiftMs;
  }
};

process.on('SIGUSR2', () => {
  shiftMs = shiftsMs.shift() ?? 0;
  process.stderr.write(`shifted ${shiftMs}\n`);
});
