import type { CommandBuilder } from './context.js';

/** A command as the list of commands shows it. `load` imports the module that makes it. */
export interface ListedCommand {
  readonly name: string;
  readonly summary: string;
  readonly load: () => Promise<CommandBuilder>;
}

/** All commands, in the order of the help. */
export const COMMANDS: readonly ListedCommand[] = [
  {
    name: 'serve',
    summary: 'starts the service',
    load: async () => (await import('./serve.js')).serveCommand,
  },
  {
    name: 'doctor',
    summary: 'checks the settings and the dependencies that they name',
    load: async () => (await import('./doctor/doctor.js')).doctorCommand,
  },
  {
    name: 'verify',
    summary: 'checks content against a chain',
    load: async () => (await import('./verify.js')).verifyCommand(),
  },
  {
    name: 'backtest',
    summary: 'tries a rule on measurements of the past',
    load: async () => (await import('./backtest.js')).backtestCommand,
  },
  {
    name: 'deploy',
    summary: 'puts the contract on a chain',
    load: async () => (await import('./deploy.js')).deployCommand,
  },
  {
    name: 'rules',
    summary: 'keeps the rules of a tenant in files',
    load: async () => (await import('./rules/rules.js')).rulesCommand,
  },
  {
    name: 'export',
    summary: 'writes the store of a service to a file',
    load: async () => (await import('./export.js')).exportCommand,
  },
  {
    name: 'import',
    summary: 'fills an empty store from an exported file',
    load: async () => (await import('./import.js')).importCommand,
  },
  {
    name: 'completion',
    summary: 'prints a script for bash, zsh or fish',
    load: async () => (await import('./completion.js')).completionCommand,
  },
];
