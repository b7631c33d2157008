import { effect } from '@preact/signals';
import { render } from 'preact';
import { startAlarm } from './alarm.js';
import { loadSession, messageOf, reloadSession } from './api.js';
import { Frame } from './frame.js';
import { startTabTitle } from './in-trouble.js';
import { readAgain, startLive } from './live.js';
import { LoginScreen } from './pages/login.js';
import { forgetAnswers } from './query.js';
import { startRouter } from './router.js';
import { isLeaving, viewerKey } from './session.js';
import './styles/main.css';
import { startTheme } from './theme.js';
import { Failed } from './ui/answer.js';
import { startClock } from './ui/time.js';

/** The login, or the console for whom is logged in. Another viewer begins with nothing of the one before. */
function App() {
  const who = viewerKey.value;
  return who === '' ? <LoginScreen /> : <Frame key={who} />;
}

async function start(root: HTMLElement): Promise<void> {
  try {
    await loadSession();
  } catch (error) {
    const again = (): void => void start(root);
    render(<Failed message={messageOf(error)} again={again} />, root);
    return;
  }
  effect(() => {
    const who = viewerKey.value;
    forgetAnswers();
    return who === '' || isLeaving.value ? undefined : startLive();
  });
  // Somebody may have logged in or out in another window. The session comes first: the page may be another viewer's now.
  document.addEventListener('visibilitychange', () => {
    if (document.visibilityState === 'visible') void reloadSession().then(readAgain);
  });
  render(<App />, root);
}

startTheme();
startClock();
startTabTitle();
startAlarm();
startRouter();
void start(document.querySelector<HTMLElement>('#app')!);
