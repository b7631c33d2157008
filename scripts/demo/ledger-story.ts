import pc from 'picocolors';
import { type HttpClient, Refused } from './http-client.js';
import { type Claim, developmentAccount, type Entity, ledgerClient, type Receipt } from './ledger-client.js';
import type { Point } from '../../src/console/demo/series.js';
import { say, show } from './output.js';

const ACCOUNT = 'demo';
/** Number of measurements in the batch: the end of the series, with the load. */
const BATCH = 100;

/** The service of the demonstration. */
export interface LedgerScene {
  readonly request: HttpClient;
  readonly url: string;
  /** Token of the development wallet. undefined: the default account signs. */
  readonly walletToken: string | undefined;
}

type Ledger = ReturnType<typeof ledgerClient>;

/** Shows the ledger: receipts of entities, a batch in one transaction, and the verification of a proof. */
export async function showLedger(
  scene: LedgerScene,
  serverId: string,
  series: readonly Point[],
): Promise<void> {
  if (!(await hasLedger(scene.request))) {
    say('Ledger', `none at this service ${pc.dim('(LEDGER=off, or production without CHAIN_RPC_URL)')}`);
    return;
  }
  const ledger = ledgerClient(scene.request, await walletOf(scene));
  const server: Entity = {
    id: `urn:ngsi-ld:Server:${serverId}`,
    type: 'Server',
    machines: { type: 'Property', value: 1 },
  };
  const created = await ledger.create(server);
  say('Created', `${server.id}, and its hash is on the chain:`);
  show(receiptText(created));
  const fragment = { machines: { type: 'Property', value: 2 } };
  const updated = await ledger.update(server.id, fragment);
  say('Updated', `a machine added as the mail asked for; ${inBlock(updated)}`);
  await tellOfHistory(ledger, server.id);
  await tellOfProof(ledger, { transactionHash: created.transactionHash, entity: server });
  await tellOfBatch(
    ledger,
    series.slice(-BATCH).map((point) => measurementOf(serverId, point)),
  );
}

async function hasLedger(request: HttpClient): Promise<boolean> {
  try {
    await request('GET', '/entity?limit=1');
    return true;
  } catch (error) {
    if (error instanceof Refused && error.status === 404) return false;
    throw error;
  }
}

async function walletOf({
  request,
  url,
  walletToken,
}: LedgerScene): Promise<Readonly<Record<string, string>>> {
  if (walletToken === undefined) {
    say(
      'Wallet',
      `the service's own account ${pc.dim('(WALLET_DEV_TOKEN would use its development wallet)')}`,
    );
    return {};
  }
  const wallet = await developmentAccount(request, url, ACCOUNT, walletToken);
  say('Wallet', wallet['wallet-address']!);
  return wallet;
}

async function tellOfHistory(ledger: Ledger, entityId: string): Promise<void> {
  const receipts = await ledger.transactions(entityId);
  say('History', `${receipts.length} transactions of the entity ${pc.dim(`GET /entity/${entityId}`)}`);
  show(
    receipts.map((receipt) => `${receipt.additionalInformation.operation}  ${inBlock(receipt)}`).join('\n'),
  );
}

/** Shows a batch: one transaction for all entities, with a separate proof for each. */
async function tellOfBatch(ledger: Ledger, entities: readonly Entity[]): Promise<void> {
  const receipt = await ledger.upsert(entities);
  say('Batch', `${entities.length} measurements, one transaction ${pc.dim(`(${receipt.gasUsed} gas)`)}:`);
  show(receiptText(receipt));
  const entity = entities.at(-1)!;
  const [own] = (await ledger.transactions(entity.id)).at(-1)!.additionalInformation.entities!;
  say(
    'Proof',
    `${own!.proof.length} hashes lead from the last measurement to the root; no other one is needed`,
  );
  await tellOfProof(ledger, { transactionHash: receipt.transactionHash, entity, proof: own!.proof });
}

/** Shows that recorded content is verified and a changed copy is not. */
async function tellOfProof(
  ledger: Ledger,
  claim: Extract<Claim, { readonly entity: Entity }>,
): Promise<void> {
  const verdict = await ledger.verify(claim);
  if (!verdict.verified) throw new Error(`what was recorded is not verified: ${verdict.reason}`);
  say('Verified', `by the chain: block ${verdict.blockNumber}, at ${verdict.recordedAt}, signed by`);
  show(verdict.from);
  const tampered = await ledger.verify({ ...claim, entity: tamperedWith(claim.entity) });
  if (tampered.verified) throw new Error('a copy that was tampered with is verified');
  say('Tampered', `${pc.red('not verified')}, one number is another:`);
  show(tampered.reason ?? '');
}

function measurementOf(serverId: string, { at, cpu }: Point): Entity {
  const observedAt = `${at.replace(' ', 'T')}Z`;
  return {
    id: `urn:ngsi-ld:Measurement:${serverId}:${observedAt}`,
    type: 'Measurement',
    cpu: { type: 'Property', value: cpu, unitCode: 'P1', observedAt },
  };
}

/** Returns a copy with each number of an attribute increased by one. */
function tamperedWith(entity: Entity): Entity {
  const changed = Object.entries(entity).map(([name, attribute]) => {
    const { value } = attribute as { value?: unknown };
    return typeof value === 'number'
      ? [name, { ...(attribute as object), value: value + 1 }]
      : [name, attribute];
  });
  return Object.fromEntries(changed) as Entity;
}

function inBlock({ transactionHash, blockNumber }: Receipt): string {
  return `${transactionHash.slice(0, 18)}… in block ${blockNumber}`;
}

/** Formats a receipt for 80 columns. */
function receiptText({
  transactionHash,
  blockNumber,
  gasUsed,
  from,
  to,
  additionalInformation,
}: Receipt): string {
  const { assetId, hash } = additionalInformation;
  const lines = {
    tx: transactionHash,
    block: `${blockNumber}, with ${gasUsed} gas`,
    'signed by': from,
    contract: to,
    'asset id': assetId,
    hash,
  };
  return Object.entries(lines)
    .map(([name, text]) => `${name.padEnd(9)} ${text}`)
    .join('\n');
}
