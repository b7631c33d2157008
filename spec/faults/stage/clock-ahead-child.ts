/** Imported by a process before all other modules. Sets its clock ahead by CLOCK_AHEAD_MS. */
const real = Date.now;
const ahead = Number(process.env['CLOCK_AHEAD_MS'] ?? 0);
Date.now = () => real() + ahead;
