/** Which files `import` was given: a folder stands for the transcripts in it. */
import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";

const TRANSCRIPT = /\.(?:json|jsonl|ndjson)$/i;

/**
 * Files in the order given, those of a folder by name, subfolders included. A path that is not there is kept: reading it
 * says so.
 */
export async function transcriptPaths(paths: readonly string[]): Promise<string[]> {
  const files: string[] = [];
  for (const path of paths) files.push(...((await isFolder(path)) ? await transcriptsIn(path) : [path]));
  return files;
}

async function isFolder(path: string): Promise<boolean> {
  return stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );
}

async function transcriptsIn(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true, recursive: true });
  return entries
    .filter((entry) => entry.isFile() && TRANSCRIPT.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
}
