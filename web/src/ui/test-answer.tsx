import type { TestAnswerView } from '../../../src/operator/shapes.js';
import { StateBadge } from './badge.js';
import { Button } from './button.js';
import { Dialog } from './dialog.js';
import { DetailList } from './page.js';
import { Id, Prose } from './text.js';

interface TestAnswerProps {
  /** undefined: none came yet. */
  readonly answer: TestAnswerView | undefined;
  readonly onClose: () => void;
}

/** What a receiver answered to a test message. */
export function TestAnswer({ answer, onClose }: TestAnswerProps) {
  return (
    <Dialog open={answer !== undefined} title="The answer to the test message" onClose={onClose}>
      {answer !== undefined && (
        <>
          <DetailList
            rows={[
              ['Result', <StateBadge state={answer.result} />],
              ['Answer', <Prose text={answer.detail} />],
              ['webhook-id', <Id text={answer.id} />],
            ]}
          />
          <div class="dialog-buttons">
            <Button onClick={onClose}>Close</Button>
          </div>
        </>
      )}
    </Dialog>
  );
}
