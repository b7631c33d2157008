import type { Socket } from 'node:net';
import { BSON } from 'mongodb';
import { relaySockets } from './relay.js';

type Message = Record<string, unknown>;

/** What a relay changes on the way: commands, and their answers. Each function returns the document to pass on. */
export interface Changes {
  readonly command?: (command: Message) => Message;
  readonly answer?: (answer: Message, command: Message) => Message;
}

/** A server in front of a MongoDB-compatible one that changes commands and answers. */
export interface MongoRelay {
  /** Returns a connection string of the server as one of the relay. */
  through(url: string): string;
  close(): Promise<void>;
}

const OP_MSG = 2013;
const HEADER = 16;

/** Starts a relay on a free port of the loopback address. `url`: a connection string of the server behind it. */
export async function startMongoRelay(url: string, changes: Changes): Promise<MongoRelay> {
  const target = Number(/:(\d+)\//.exec(url)?.[1]);
  const relay = await relaySockets(target, (client, remote) => {
    const commands = new Map<number, Message>();
    eachMessage(client, (message) => {
      if (message.readInt32LE(12) !== OP_MSG) return remote.write(message);
      const command = changes.command?.(documentIn(message)) ?? documentIn(message);
      commands.set(message.readInt32LE(4), command);
      return remote.write(changes.command === undefined ? message : withDocument(message, command));
    });
    eachMessage(remote, (message) => {
      const command = commands.get(message.readInt32LE(8));
      commands.delete(message.readInt32LE(8));
      if (command === undefined || changes.answer === undefined) return client.write(message);
      return client.write(withDocument(message, changes.answer(documentIn(message), command)));
    });
  });
  return { through: (address) => address.replace(/:\d+\//, `:${relay.port}/`), close: () => relay.close() };
}

/** Calls a function for each message of MongoDB's protocol that comes in whole. */
function eachMessage(socket: Socket, take: (message: Buffer) => unknown): void {
  let rest: Buffer = Buffer.alloc(0);
  socket.on('data', (data: Buffer) => {
    rest = Buffer.concat([rest, data]);
    while (rest.length >= HEADER && rest.length >= rest.readInt32LE(0)) {
      take(rest.subarray(0, rest.readInt32LE(0)));
      rest = rest.subarray(rest.readInt32LE(0));
    }
  });
}

/** Returns the document of an OP_MSG, with the sequences of documents that follow it as arrays. */
function documentIn(message: Buffer): Message {
  const document: Message = {};
  for (let at = HEADER + 4; at < message.length;) {
    const size = message.readInt32LE(at + 1);
    const section = message.subarray(at + 1, at + 1 + size);
    if (message[at] === 0) Object.assign(document, BSON.deserialize(section, { promoteValues: false }));
    else {
      const end = section.indexOf(0, 4);
      document[section.subarray(4, end).toString()] = sequenceIn(section.subarray(end + 1));
    }
    at += 1 + size;
  }
  return document;
}

function sequenceIn(bytes: Buffer): readonly Message[] {
  const documents: Message[] = [];
  for (let at = 0; at < bytes.length; at += bytes.readInt32LE(at))
    documents.push(
      BSON.deserialize(bytes.subarray(at, at + bytes.readInt32LE(at)), { promoteValues: false }),
    );
  return documents;
}

/** Returns an OP_MSG with the header of another one, and this document. */
function withDocument(message: Buffer, document: Message): Buffer {
  const head = Buffer.from(message.subarray(0, HEADER + 4));
  const changed = Buffer.concat([head, Buffer.of(0), BSON.serialize(document)]);
  changed.writeInt32LE(changed.length, 0);
  return changed;
}
