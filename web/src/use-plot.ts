import { useComputed } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import type { DrawnPlot } from './plots.js';
import { repaint } from './theme.js';

/**
 * Draws a plot into the element that has the reference `place`, and again when colours or `inputs` change. The plot follows
 * the width of the element, and ends with the component. `plot.current` is undefined until the plot is drawn.
 */
export function usePlot<P extends DrawnPlot>(
  draw: (element: HTMLElement) => Promise<P>,
  inputs: readonly unknown[],
) {
  const place = useRef<HTMLDivElement>(null);
  const plot = useRef<P | undefined>(undefined);
  // Reads the signal: colours of a canvas are not those of the stylesheet.
  const paint = useComputed(() => repaint.value).value;

  useEffect(() => {
    let ended = false;
    // Preact empties `place` when the page is left, but ends this effect after the next paint.
    const element = place.current!;
    const sizes = new ResizeObserver(() => plot.current?.resize(element.clientWidth));
    void draw(element).then((drawn) => {
      if (ended) return drawn.end();
      plot.current = drawn;
      sizes.observe(element);
    });
    return () => {
      ended = true;
      sizes.disconnect();
      plot.current?.end();
      plot.current = undefined;
    };
  }, [paint, ...inputs]);

  return { place, plot };
}
