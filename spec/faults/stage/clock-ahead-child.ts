/** Imported by a process before anything else: its clock is as many ms ahead as CLOCK_AHEAD_MS says. */
const real = Date.now;
const ahead = Number(process.env['CLOCK_AHEAD_MS'] ?? 0);
Date.now = () => real() + ahead;
