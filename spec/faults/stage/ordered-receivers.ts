import { simpleParser } from 'mailparser';
import { reply, startMailServer } from '../../delivery/senders/mail-server.js';
import { startReceiver } from '../../delivery/senders/receiver.js';

/** The messages of one subscription and channel at their receiver. */
export interface Line {
  /** States of the messages that the receiver has taken, each message once, in order. */
  readonly states: string[];
}

/** A webhook receiver and a mailbox that often fail, and that check the order of what reaches them. */
export interface OrderedReceivers {
  readonly url: string;
  readonly smtpUrl: string;
  /** By server and channel: `web-1/webhook`, `web-1/email`. */
  readonly lines: ReadonlyMap<string, Line>;
  /** Messages that came before their turn, and messages with two ids. */
  readonly surprises: string[];
  /** Number of attempts. */
  attempts(): number;
  /** Number of messages that came once more after they and a later one were taken. */
  lateRepeats(): number;
  /** From now on every message is taken. */
  behave(): void;
  stop(): Promise<void>;
}

interface Known extends Line {
  /** Number of the fact of the newest message. */
  newest: number;
  taken: boolean;
  /** Ids of the messages by number, and whether the receiver has taken them. */
  readonly known: Map<number, { readonly id: string; taken: boolean }>;
}

/**
 * Starts the receivers. `mayBeLate`: a process that stood still, or whose work another one took over because their clocks are
 * apart, sends once more what was taken meanwhile. Such a repetition has the id that the receiver knows.
 */
export async function orderedReceivers(random: () => number, mayBeLate = false): Promise<OrderedReceivers> {
  const lines = new Map<string, Known>();
  const surprises: string[] = [];
  let fails = true;
  let attempts = 0;
  let lateRepeats = 0;

  /** Notes an attempt. Returns whether the receiver takes the message. */
  const takes = (key: string, factId: number, state: string, id: string): boolean => {
    attempts += 1;
    const line: Known = lines.get(key) ?? { states: [], newest: 0, taken: true, known: new Map() };
    lines.set(key, line);
    const { newest, taken } = line;
    const message = line.known.get(factId) ?? { id, taken: false };
    line.known.set(factId, message);
    if (message.id !== id) surprises.push(`${key}: ${factId} came as ${message.id} and as ${id}`);
    if (mayBeLate && factId < newest && message.taken) {
      lateRepeats += 1;
      return true;
    }
    if (factId < newest) surprises.push(`${key}: ${factId} came after ${newest}`);
    if (factId > newest && !taken) surprises.push(`${key}: ${factId} came while ${newest} was pending`);
    const wasTaken = factId === newest && taken;
    line.newest = factId;
    line.taken = wasTaken || !fails || random() > 0.4;
    if (line.taken && !wasTaken) line.states.push(state);
    message.taken ||= line.taken;
    return line.taken;
  };

  const receiver = await startReceiver((response, { headers, body, socket }) => {
    receiver.got.length = 0;
    const { serverId, factId, state } = JSON.parse(body) as {
      readonly serverId: string;
      readonly factId: number;
      readonly state: string;
    };
    if (takes(`${serverId}/webhook`, factId, state, String(headers['webhook-id']))) response.end();
    else if (random() < 0.3) socket.destroy();
    else response.writeHead(random() < 0.5 ? 503 : 429, { 'Retry-After': '0' }).end();
  });
  const mails = await startMailServer({
    async onData(stream, _session, done) {
      // A service that was killed leaves half a mail.
      const mail = await simpleParser(stream).catch(() => undefined);
      if (mail === undefined) return done(reply(451, '4.7.1 try again'));
      const { text = '', messageId = '' } = mail;
      const fact = (label: string): string => new RegExp(`^${label}: (.*)$`, 'm').exec(text)?.[1] ?? '';
      const isTaken = takes(`${fact('Server')}/email`, Number(fact('Fact')), fact('State'), messageId);
      done(isTaken ? null : reply(451, '4.7.1 try again'));
    },
  });

  return {
    url: receiver.origin,
    smtpUrl: mails.url,
    lines,
    surprises,
    attempts: () => attempts,
    lateRepeats: () => lateRepeats,
    behave() {
      fails = false;
    },
    async stop() {
      await receiver.stop();
      await mails.stop();
    },
  };
}
