import { render } from 'preact';
import type { SessionView } from '../../src/console/shapes.js';
import './main.css';

const answer = await fetch('/console/api/session');
const { version } = (await answer.json()) as SessionView;
render(<main>Mirzam {version}</main>, document.querySelector('#app')!);
