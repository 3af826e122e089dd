// Loaded before the server: its time of day is that of the machine plus what a file says, looked at again and again.
import { readFileSync } from 'node:fs';

const file = process.env.CLOCK_STEP_FILE ?? '';
const realNow = Date.now.bind(Date);
let aheadMs = 0;

function look() {
  try {
    aheadMs = Number(readFileSync(file, 'utf8')) || 0;
  } catch {
    // There is none yet: no step.
  }
}

look();
setInterval(look, 20).unref();
Date.now = () => realNow() + aheadMs;
