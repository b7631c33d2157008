/** An actor as `/operator/actors/{kind}/{tenant}/{name}` answers it. `wakeAt` is ISO 8601, UTC. */
export interface ActorDetail {
  readonly kind: string;
  readonly tenant: string;
  readonly name: string;
  readonly state: string;
  readonly revision: number;
  readonly wakeAt: string | null;
  readonly outbox: readonly { readonly id: string; readonly type: string }[];
  readonly context: Readonly<Record<string, unknown>>;
}
