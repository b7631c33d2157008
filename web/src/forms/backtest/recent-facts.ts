import { createContext } from 'preact';

/** The newest measurements of the server that a page shows, oldest first: values by metric. Their times are not known. */
export type RecentRows = readonly Readonly<Record<string, number>>[];

/** Given to forms on the page of a server. Empty elsewhere. */
export const RecentFacts = createContext<RecentRows>([]);
