/** Settings that the image has: its port and its volume. The compose files leave them as they are. */
export const SETTINGS_OF_THE_IMAGE: ReadonlySet<string> = new Set(['HOST', 'PORT', 'DATA_DIR']);
