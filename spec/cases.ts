/**
 * How many cases a property tries that takes long for each: the first number where every spec runs (`npm run
 * test:all`), the second in `npm test`.
 */
export function cases(all: number, some: number): number {
  return process.env['SPECS'] === 'all' ? all : some;
}
