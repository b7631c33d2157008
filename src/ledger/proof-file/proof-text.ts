import { EXPECTED, type ProofVerdict } from './proof-verdict.js';

type Verified = Extract<ProofVerdict, { verified: true }>;

/** Returns what only the file says. */
export function unprovenText({ operation, content }: Verified['unproven']): string {
  return `the operation is ${operation}, of the kind ${content}`;
}

/** Returns a verdict as text: a line for each step, then the result and what is left to trust. */
export function proofText(verdict: ProofVerdict): string {
  const steps = verdict.steps.map(
    ({ name, ok, text }) => `${ok ? 'ok     ' : 'refused'}  ${name.padEnd(11)}  ${text}`,
  );
  return [...steps, ...(verdict.verified ? verifiedLines(verdict) : [refusal(verdict)]), ''].join('\n');
}

/** Returns the result of a verification that failed. */
function refusal({ steps }: ProofVerdict): string {
  return `NOT VERIFIED: the step ${steps.at(-1)!.name} fails`;
}

/** Returns the result, what only the file says, and what was compared or is left to trust. */
function verifiedLines({ proven, unproven, trusted }: Verified): readonly string[] {
  const compared = EXPECTED.map(([name, words]) => {
    const how = trusted.includes(name) ? 'left to trust:' : 'as given:     ';
    return `  ${how} ${words} ${proven[name]}`;
  });
  return [
    `VERIFIED under the block hash ${proven.blockHash}`,
    `  only the file says: ${unprovenText(unproven)}`,
    ...compared,
  ];
}
