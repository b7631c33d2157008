import { fileURLToPath } from 'node:url';
import { build, type Plugin } from 'esbuild';

const root = new URL('../../../../', import.meta.url);
// A script of plain JavaScript without type declarations.
const { receiverTemplates } = (await import(new URL('scripts/receiver-templates.js', root).href)) as {
  receiverTemplates: Plugin;
};

/** Loads a module of the console's page, `forms/problems.ts`, as the browser gets it. */
export async function pageModule(file: string): Promise<Record<string, never>> {
  const { outputFiles } = await build({
    entryPoints: [fileURLToPath(new URL(`web/src/${file}`, root))],
    bundle: true,
    plugins: [receiverTemplates],
    write: false,
    format: 'esm',
    target: 'es2022',
  });
  const code = Buffer.from(outputFiles[0]!.contents).toString('base64');
  return (await import(`data:text/javascript;base64,${code}`)) as Record<string, never>;
}
