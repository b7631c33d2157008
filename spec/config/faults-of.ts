import { expect } from 'chai';
import { ConfigError, loadConfig } from '../../src/config/config.js';
import type { Environment } from '../../src/config/read-values.js';

/** Returns the faults of an environment that prevent the start. */
export function faultsOf(environment: Environment): readonly string[] {
  try {
    loadConfig(environment);
    return [];
  } catch (error) {
    expect(error).to.be.instanceOf(ConfigError);
    return (error as ConfigError).faults;
  }
}
