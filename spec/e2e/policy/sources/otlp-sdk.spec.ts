import { freemem, totalmem } from 'node:os';
import { HostMetrics } from '@opentelemetry/host-metrics';
import { expect } from 'chai';
import { scenes } from '../../scene.js';
import { addSubscribedRule, arrived, firedIn, windowSize, windowValues } from '../actions.js';
import { metricsSender, PROTOCOLS } from './open-telemetry-sender.js';

const RULE = {
  name: 'measured',
  condition: {
    all: [{ cpu: { value: 0, operand: 'greater equal' } }, { mem: { value: 0, operand: 'greater' } }],
  },
  action: { actionName: 'notify-scale', operation: 'scaleUp' },
};

describe('OpenTelemetry’s SDK with host-metrics', () => {
  const open = scenes();

  for (const protocol of PROTOCOLS) {
    it(`sends the cpu and the memory of this host by ${protocol}, and a rule fires`, async () => {
      const { api, url } = await open.service({ FACTS_AUTH: 'token' });
      const receiver = await open.receiver();
      await windowSize(api, 1);
      const { ruleId } = await addSubscribedRule(api, 'this-host', `${receiver.origin}/`, RULE);
      const sender = metricsSender(
        protocol,
        `${url}/v1.0/demo/otlp/v1/metrics`,
        { 'host.name': 'this-host', 'service.name': 'spec' },
        { Authorization: `Bearer ${api.token}` },
      );
      open.keep(sender, () => sender.shutdown());
      new HostMetrics({ meterProvider: sender }).start();
      await sender.forceFlush();
      const [fired] = firedIn(await arrived(receiver, 1));
      expect(fired!.ruleName).to.equal('measured');
      const { cpu, mem } = fired!.measures;
      expect(cpu).to.be.within(0, 100);
      expect(mem).to.be.closeTo(100 * (1 - freemem() / totalmem()), 20);
      expect(await windowValues(api, 'this-host', ruleId)).to.deep.equal({ cpu: [cpu], mem: [mem] });
    });
  }
});
