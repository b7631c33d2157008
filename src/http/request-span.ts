import type { Tracing } from '../tracing/port.js';
import type { EdgeContext } from './context.js';
import { originForm, withoutQuery } from './request-head.js';
import { withoutSecrets } from './request-log.js';
import type { RouteGroup } from './route-groups.js';

/**
 * Makes the function that starts the span of a request, if it is sampled. The span ends with the answer, or with the
 * connection. Query, headers, bodies and secret paths are not in it.
 */
export function requestSpans(tracing: Tracing, groups: readonly RouteGroup[]): (ctx: EdgeContext) => void {
  const shownPath = withoutSecrets(groups);
  return ({ req, res, state }) => {
    const { traceparent } = req.headers;
    const span = tracing.request(typeof traceparent === 'string' ? traceparent : undefined);
    // Also without a span: states of two hidden classes slow down each request.
    state.trace = span?.traceparent;
    if (span === undefined) return;
    const { method = '', url = '' } = req;
    res.once('close', () => {
      const { route } = state;
      const { statusCode: status, writableFinished } = res;
      span.rename(route === undefined ? method : `${method} ${route}`);
      const attributes = {
        'http.request.method': method,
        'url.scheme': 'http',
        'url.path': shownPath(withoutQuery(originForm(url))),
        'http.route': route,
        'http.response.status_code': status,
      };
      const failure = writableFinished ? undefined : 'broken_off';
      span.end(attributes, status >= 500 ? String(status) : failure);
    });
  };
}
