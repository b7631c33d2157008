import { useState } from 'preact/hooks';
import type { ReceiverView, TestAnswerView } from '../../../../src/operator/shapes.js';
import { ownPath } from '../../api-paths.js';
import { messageOf, send } from '../../api.js';
import { Button } from '../../ui/button.js';
import { counted } from '../../ui/number.js';
import { announce } from '../../ui/status.js';
import { TestAnswer } from '../../ui/test-answer.js';
import { useTask } from '../../use-task.js';

interface ReceiverActionsProps {
  readonly receiver: ReceiverView;
  readonly onDone: () => void;
}

/** Buttons that try what waits for a receiver, send its dead letters again, and send it a test message. */
export function ReceiverActions({ receiver: { id, waiting, dead }, onDone }: ReceiverActionsProps) {
  const trying = useTask();
  const testing = useTask();
  const [answer, setAnswer] = useState<TestAnswerView>();
  const post = <T,>(what: string): Promise<T> => send<T>('POST', `${ownPath('receivers', id)}/${what}`);

  const saying = async (work: () => Promise<string>): Promise<void> => {
    try {
      announce(await work());
    } catch (error) {
      announce(messageOf(error), 'bad');
    }
    onDone();
  };
  const tryNow = (): Promise<void> =>
    saying(async () => {
      const { tried } = await post<{ tried: number }>('try');
      return tried === 0 ? 'No message waits any more.' : `${counted(tried, 'message')} tried now.`;
    });
  const redeliver = (): Promise<void> =>
    saying(async () => {
      const { redelivered } = await post<{ redelivered: number }>('redeliver');
      return `${counted(redelivered, 'dead letter is', 'dead letters are')} sent again.`;
    });
  const test = async (): Promise<void> => {
    try {
      setAnswer(await post<TestAnswerView>('test'));
    } catch (error) {
      announce(messageOf(error), 'bad');
    }
  };

  return (
    <>
      {waiting > 0 && (
        <Button kind="primary" busy={trying.busy} onClick={() => void trying.run(tryNow)}>
          Try now
        </Button>
      )}
      {dead > 0 && (
        <Button
          kind={waiting > 0 ? 'plain' : 'primary'}
          busy={trying.busy}
          onClick={() => void trying.run(redeliver)}
        >
          Redeliver {counted(dead, 'dead letter')}
        </Button>
      )}
      <Button busy={testing.busy} onClick={() => void testing.run(test)}>
        Send a test
      </Button>
      <TestAnswer answer={answer} onClose={() => setAnswer(undefined)} />
    </>
  );
}
