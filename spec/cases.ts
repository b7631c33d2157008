/**
 * Returns the number of cases of a slow property: the first number in `npm run test:all`, the second in `npm test`.
 */
export function cases(all: number, some: number): number {
  return process.env['SPECS'] === 'all' ? all : some;
}
