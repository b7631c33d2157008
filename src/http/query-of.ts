import { type ParsedUrlQuery, parse } from 'node:querystring';

/**
 * The parameters behind `?`, in time that is proportional to their length: Koa's own `ctx.query` takes the square of it
 * where a name comes often.
 */
export function queryOf({ querystring }: { readonly querystring: string }): ParsedUrlQuery {
  return parse(querystring, '&', '=', { maxKeys: 0 });
}
