import { expect } from 'chai';

/** An answer, not followed when it is a redirect. */
export interface Shown {
  readonly url: string;
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** The address of a redirect. */
  readonly location: string | undefined;
}

/** A browser over plain HTTP: it keeps cookies by host, whatever the port, and follows redirects when asked. */
export interface HttpBrowser {
  readonly cookies: Map<string, string>;
  get(url: string): Promise<Shown>;
  /** Sends a form. */
  post(url: string, form: Readonly<Record<string, string>>): Promise<Shown>;
  /** Opens an address and follows redirects until a page, or until an address that `stop` is true for. */
  open(url: string, stop?: (url: string) => boolean): Promise<Shown>;
}

/** Opens a browser without cookies. */
export function httpBrowser(): HttpBrowser {
  const cookies = new Map<string, string>();

  const send = async (url: string, init: RequestInit): Promise<Shown> => {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const headers = { ...(init.headers as Record<string, string>), ...(cookie === '' ? {} : { cookie }) };
    const response = await fetch(url, { ...init, headers, redirect: 'manual' });
    for (const line of response.headers.getSetCookie()) keep(cookies, line);
    const location = response.headers.get('location');
    return {
      url,
      status: response.status,
      headers: response.headers,
      text: await response.text(),
      location: location === null ? undefined : new URL(location, url).href,
    };
  };
  const get = (url: string): Promise<Shown> => send(url, { method: 'GET' });

  return {
    cookies,
    get,
    post: (url, form) => send(url, { method: 'POST', body: new URLSearchParams(form) }),
    async open(url, stop = () => false) {
      let shown = await get(url);
      for (let hops = 0; shown.location !== undefined && !stop(shown.location); hops += 1) {
        expect(hops, `redirects from ${url}`).to.be.lessThan(10);
        shown = await get(shown.location);
      }
      return shown;
    },
  };
}

function keep(cookies: Map<string, string>, line: string): void {
  const [pair = '', ...flags] = line.split(';').map((part) => part.trim());
  const [name = '', ...rest] = pair.split('=');
  const isOver = flags.some((flag) => /^max-age=0$/i.test(flag) || /^expires=Thu, 01 Jan 1970/i.test(flag));
  if (isOver) cookies.delete(name);
  else cookies.set(name, rest.join('='));
}
